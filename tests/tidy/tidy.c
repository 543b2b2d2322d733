// SPDX-License-Identifier: MIT
// Tidy: a test that reads the tree and keeps the house rules that a machine can keep.
//
//     tidy ROOT [FILE...]   checks the files git knows (or those named), prints one line a breach
//
// Rules: the licence line, line length, trailing space, file and function length, which ring may
// include which, and calls the core may not make. clang-format has put every function's closing
// brace in the first column, so a function is what stands between a line that ends in "{" at the
// outermost level and the next "}" in the first column.
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX     4096
#define LINE_COLUMNS_MAX   100
#define FILE_LINES_MAX     600
#define HEADER_LINES_MAX   250
#define FUNCTION_LINES_MAX 70

struct file {
    const char *path;  // relative to the root
    unsigned line;
    bool c_source;
    bool core;
    bool header;
    unsigned function_start;  // 0: outside of a function
};

static unsigned breaches;
static unsigned files_read;

__attribute__((format(printf, 2, 3))) static void breach(
    const struct file *file, const char *format, ...) {
    va_list arguments;

    printf("%s:%u: ", file->path, file->line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    breaches++;
}

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *text, const char *suffix) {
    size_t text_len = strlen(text);
    size_t suffix_len = strlen(suffix);

    return text_len >= suffix_len && strcmp(text + text_len - suffix_len, suffix) == 0;
}

// ---- which ring may include which

struct ring_rule {
    const char *folder;     // files below it
    const char *forbidden;  // text that must not begin the included name
    const char *why;
};

static const struct ring_rule ring_rules[] = {
    {"src/", "coradio_twin/", "the core does not know the twin"},
    {"include/coradio/", "coradio_twin/", "the core does not know the twin"},
    {"twin/", "coradio/", "the twin shares no code with the core"},
    {"include/coradio_twin/", "coradio/", "the twin shares no code with the core"},
    {"src/base/", "wire/", "base is the innermost ring"},
    {"src/base/", "net/", "base is the innermost ring"},
    {"src/base/", "chip/", "base is the innermost ring"},
    {"src/wire/", "net/", "wire knows only base"},
    {"src/wire/", "chip/", "wire knows only base"},
    {"src/wire/", "bus/", "wire and bus are side by side"},
    {"src/bus/", "wire/", "wire and bus are side by side"},
    {"src/bus/", "chip/", "bus knows only base"},
    {"src/bus/", "net/", "bus knows only base"},
    {"src/net/", "chip/", "net and chip meet only at the frame contract"},
    {"src/net/", "bus/", "net does not know the bus"},
    {"src/net/", "coradio/cyw43", "net and chip meet only at the frame contract"},
    {"src/net/", "coradio/bus", "net does not know the bus"},
    {"src/chip/", "net/", "net and chip meet only at the frame contract"},
    {"src/chip/", "coradio/tcp", "net and chip meet only at the frame contract"},
    {"src/chip/", "coradio/net", "net and chip meet only at the frame contract"},
    {"src/chip/", "app/", "a chip does not know the application"},
    {"src/net/", "app/", "net does not know the application"},
};

// What the core may include with angle brackets.
static const char *const core_headers[] = {
    "stdint.h",
    "stddef.h",
    "stdbool.h",
    "stdalign.h",
    "string.h",
};

static void check_include(const struct file *file, const char *line) {
    char name[256];
    char bracket;

    if (sscanf(line, "#include %c%255[^\">]", &bracket, name) != 2) {
        return;
    }
    for (size_t i = 0; i < sizeof(ring_rules) / sizeof(ring_rules[0]); i++) {
        const struct ring_rule *rule = &ring_rules[i];
        if (starts(file->path, rule->folder) && starts(name, rule->forbidden)) {
            breach(file, "includes %s: %s", name, rule->why);
        }
    }
    if (!file->core || bracket != '<') {
        return;
    }
    for (size_t i = 0; i < sizeof(core_headers) / sizeof(core_headers[0]); i++) {
        if (strcmp(name, core_headers[i]) == 0) {
            return;
        }
    }
    breach(file, "includes <%s>, which the core may not", name);
}

// ---- words that must not stand in code

struct banned {
    const char *word;
    bool core_only;
    const char *instead;
};

static const struct banned banned[] = {
    {"malloc", true, "memory the caller owns"},
    {"calloc", true, "memory the caller owns"},
    {"realloc", true, "memory the caller owns"},
    {"free", true, "memory the caller owns"},
    {"alloca", true, "memory the caller owns"},
    {"printf", true, "a counter or a log item"},
    {"float", true, "integers with a unit"},
    {"double", true, "integers with a unit"},
    {"time", true, "now_us as an argument"},
    {"usleep", true, "a deadline"},
    {"strcpy", false, "snprintf or memcpy with a length"},
    {"strcat", false, "snprintf"},
    {"sprintf", false, "snprintf"},
    {"gets", false, "fgets"},
    {"strtok", false, "strcspn"},
    {"atoi", false, "tools/common/units.h"},
    {"rand", false, "twin_rng"},
};

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// True when `word` stands in code as a call "word(" or, for a type, as a word of its own.
static bool has_word(const char *code, const char *word, bool call) {
    size_t length = strlen(word);

    for (const char *at = strstr(code, word); at != NULL; at = strstr(at + 1, word)) {
        bool begins = at == code || (!is_word_char(at[-1]) && at[-1] != '.' && at[-1] != '>');
        const char *after = at + length;
        if (begins && !is_word_char(*after) && (!call || *after == '(')) {
            return true;
        }
    }
    return false;
}

// Copies the line without comments and without the contents of strings.
static void strip(const char *line, char *code) {
    bool text = false;

    for (; *line != '\0'; line++) {
        if (!text && line[0] == '/' && line[1] == '/') {
            break;
        }
        if (*line == '"') {
            text = !text;
        } else if (text && *line == '\\' && line[1] != '\0') {
            line++;
        } else if (!text) {
            *code++ = *line;
        }
    }
    *code = '\0';
}

static void check_words(const struct file *file, const char *line) {
    char code[LINE_BYTES_MAX];

    strip(line, code);
    for (size_t i = 0; i < sizeof(banned) / sizeof(banned[0]); i++) {
        bool type = strcmp(banned[i].word, "float") == 0 || strcmp(banned[i].word, "double") == 0;
        if ((file->core || !banned[i].core_only) && has_word(code, banned[i].word, !type)) {
            breach(file, "%s is banned here; use %s", banned[i].word, banned[i].instead);
        }
    }
    if (has_word(code, "NOLINT", false) && strchr(line, ':') == NULL) {
        breach(file, "NOLINT without a reason");
    }
}

// ---- lengths

static void check_function(struct file *file, const char *line) {
    if (file->function_start == 0) {
        if (isalpha((unsigned char)line[0]) && ends(line, ") {")) {
            file->function_start = file->line;
        } else if (line[0] == ' ' && ends(line, ") {")) {
            // The last line of a parameter list that did not fit on one line.
            file->function_start = file->line;
        }
        return;
    }
    if (line[0] == '}') {
        unsigned lines = file->line - file->function_start + 1;
        if (lines > FUNCTION_LINES_MAX) {
            breach(file, "a function of %u lines ends here; %d at most", lines, FUNCTION_LINES_MAX);
        }
        file->function_start = 0;
    }
}

static size_t columns(const char *line) {
    size_t count = 0;

    for (; *line != '\0'; line++) {
        count += ((unsigned char)*line & 0xC0) != 0x80;
    }
    return count;
}

static void check_line(struct file *file, const char *line) {
    size_t length = strlen(line);

    if (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t')) {
        breach(file, "trailing space");
    }
    if (strchr(line, '\r') != NULL) {
        breach(file, "carriage return");
    }
    if (!file->c_source) {
        return;
    }
    if (columns(line) > LINE_COLUMNS_MAX) {
        breach(file, "%zu columns; %d at most", columns(line), LINE_COLUMNS_MAX);
    }
    if (strchr(line, '\t') != NULL) {
        breach(file, "tab");
    }
    if (file->line == 1 && strcmp(line, "// SPDX-License-Identifier: MIT") != 0) {
        breach(file, "first line is not the licence line");
    }
    if (starts(line, "#include")) {
        check_include(file, line);
    }
    check_words(file, line);
    check_function(file, line);
}

static void check_file(const char *root, const char *path) {
    struct file file = {.path = path};
    char full[LINE_BYTES_MAX];
    char line[LINE_BYTES_MAX];
    FILE *stream;

    snprintf(full, sizeof(full), "%s/%s", root, path);
    stream = fopen(full, "r");
    if (stream == NULL) {
        return;  // listed by git, deleted in the work tree
    }
    file.header = ends(path, ".h");
    file.c_source = file.header || ends(path, ".c");
    file.core = file.c_source && (starts(path, "src/") || starts(path, "include/coradio/"));
    while (fgets(line, sizeof(line), stream) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        file.line++;
        check_line(&file, line);
    }
    fclose(stream);
    if (file.c_source && file.line > FILE_LINES_MAX) {
        breach(&file, "%u lines; %d at most", file.line, FILE_LINES_MAX);
    }
    if (file.header && starts(path, "include/") && file.line > HEADER_LINES_MAX) {
        breach(&file, "a public header of %u lines; %d at most", file.line, HEADER_LINES_MAX);
    }
    files_read++;
}

static bool is_text(const char *path) {
    static const char *const suffixes[] = {
        ".c",
        ".h",
        ".md",
        ".txt",
        ".cmake",
        ".sh",
        ".json",
        ".vec",
        ".tsv",
        ".tcp",
        ".bus",
        ".pio",
    };

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (ends(path, suffixes[i])) {
            return true;
        }
    }
    return ends(path, "Makefile") || strchr(path, '.') == NULL;
}

int main(int argc, char **argv) {
    char command[LINE_BYTES_MAX];
    char path[LINE_BYTES_MAX];
    FILE *list;

    if (argc < 2) {
        fprintf(stderr, "use: tidy ROOT [FILE...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        check_file(argv[1], argv[i]);
    }
    if (argc == 2) {
        snprintf(
            command,
            sizeof(command),
            "git -c safe.directory='*' -C '%s' ls-files --cached --others --exclude-standard",
            argv[1]);
        list =
            popen(command, "r");  // NOLINT(cert-env33-c): the command is ours, the path the build's
        while (list != NULL && fgets(path, sizeof(path), list) != NULL) {
            path[strcspn(path, "\n")] = '\0';
            if (is_text(path)) {
                check_file(argv[1], path);
            }
        }
        if (list == NULL || pclose(list) != 0) {
            fprintf(stderr, "tidy: git did not list the tree\n");
            return 3;
        }
    }
    printf("%u files read, %u breaches\n", files_read, breaches);
    printf("%d passed, %d failed\n", breaches == 0, breaches != 0);
    return breaches == 0 && files_read > 0 ? 0 : 1;
}
