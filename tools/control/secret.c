// SPDX-License-Identifier: MIT
#include "control/secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool secret_read(const char *path, char secret[SECRET_SIZE], char *error) {
    FILE *file = fopen(path, "r");
    struct stat status;
    bool good;

    if (file == NULL || fstat(fileno(file), &status) != 0) {
        snprintf(error, 256, "%.120s: %s", path, strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return false;
    }
    if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        snprintf(error, 256, "%.120s: others can read it; chmod 600 it first", path);
        fclose(file);
        return false;
    }
    good = fgets(secret, SECRET_SIZE, file) != NULL;
    fclose(file);
    if (good) {
        secret[strcspn(secret, "\r\n")] = '\0';
        good = secret[0] != '\0';
    }
    if (!good) {
        snprintf(error, 256, "%.120s: no secret in its first line", path);
    }
    return good;
}
