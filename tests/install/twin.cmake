# SPDX-License-Identifier: MIT
set(root ${BUILD}/install-twin)
file(REMOVE_RECURSE ${root})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component twin --prefix ${root})
run(${CC} ${FLAGS} ${SOURCE}/examples/twin/attach_driver.c -I${root}/include -L${root}/lib
    -Wl,--start-group -lcoradio_twin -llwip_peer -Wl,--end-group -lslirp -lm -o ${root}/attach_driver)
run(${root}/attach_driver)
if(NOT out MATCHES "MAC 02:a0:50:43:43:90")
  message(FATAL_ERROR "unexpected: ${out}")
endif()
file(REMOVE_RECURSE ${root})
