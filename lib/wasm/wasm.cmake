# statepath.wasm: rules, and decoding by the plain kernels. Debian: clang, lld, wasi-libc, libclang-rt-dev-wasm32. Sets
# STATEPATH_WASM_MODULE to it, or to nothing where the compiler cannot make such modules.
set(STATEPATH_WASM_MODULE "")
set(wasm_folder ${CMAKE_CURRENT_SOURCE_DIR}/lib/wasm)
find_program(STATEPATH_WASM_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 DOC "clang for wasm32-wasi")
set(wasm_compile --target=wasm32-wasi -std=c11 -Oz -DNDEBUG -ffp-contract=off -fno-strict-aliasing -ffunction-sections -fdata-sections
                 -Wall -Wextra -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700)
set(wasm_link --target=wasm32-wasi -Oz -nostartfiles -Wl,--no-entry -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=65536)
set(wasm_why "clang is not installed")
set(wasm_works OFF)
if(STATEPATH_WASM_CLANG)
  set(wasm_trial ${CMAKE_CURRENT_BINARY_DIR}/wasm_trial)
  file(WRITE ${wasm_trial}.c "#include <stdlib.h>\n__attribute__((export_name(\"take\"))) void *take(int n) { return malloc(n); }\n")
  execute_process(COMMAND ${STATEPATH_WASM_CLANG} ${wasm_compile} ${wasm_link} ${wasm_trial}.c -o ${wasm_trial}.wasm RESULT_VARIABLE wasm_failed
                  OUTPUT_QUIET ERROR_QUIET)
  set(wasm_why "${STATEPATH_WASM_CLANG} makes none: lld, wasi-libc and libclang-rt-dev-wasm32 are needed too")
  if(wasm_failed EQUAL 0)
    set(wasm_works ON)
  endif()
endif()
if(NOT wasm_works)
  message(STATUS "WebAssembly: ${wasm_why}. Pages come without the section that decodes, and statepath.wasm is not installed")
  return()
endif()

set(wasm_sources)
foreach(name best_class block chain chain_rules isa logmath model/durations model/edges model/model model/model_check model/unfold model/windows name_hint names owned packed_scores path_score prepare rows/row_check
        rows/rows_form rules/intern rules/product rules/refine rules/rule_automaton rules/rule_text rules/rules scratch status)
  list(APPEND wasm_sources ${CMAKE_CURRENT_SOURCE_DIR}/lib/core/${name}.c)
endforeach()
foreach(name tags/tags tags/tied evaluate/counts/stretches evaluate/counts/tally evaluate/metrics/edit evaluate/metrics/segment_overlaps evaluate/metrics/segments evaluate/metrics/sequences json/json_locate json/json_read io/json/model_json_durations io/json/model_json_ends io/json/model_json_expressions io/json/model_json_extras io/json/model_json_labeller io/json/model_json_read
        io/json/model_json_reader io/json/model_json_rules io/json/model_json_windows)
  list(APPEND wasm_sources ${CMAKE_CURRENT_SOURCE_DIR}/lib/${name}.c)
endforeach()
file(GLOB wasm_decode CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/decode/*.c)
list(FILTER wasm_decode EXCLUDE REGEX "/(batch_extras|decode_batch)[.]c$")
file(GLOB wasm_strategies CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/lib/decode/strategies/*.c ${CMAKE_CURRENT_SOURCE_DIR}/lib/decode/walk/*.c)
list(APPEND wasm_sources ${wasm_decode} ${wasm_strategies} ${CMAKE_CURRENT_SOURCE_DIR}/lib/decode/kernels/sum_steps.c ${wasm_folder}/format.c ${wasm_folder}/json.c ${wasm_folder}/module.c ${wasm_folder}/plain.c)
set(STATEPATH_WASM_MODULE ${CMAKE_CURRENT_BINARY_DIR}/statepath.wasm)
set(wasm_objects)
foreach(source ${wasm_sources}) # one by one: a header makes those again that include it
  file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR}/lib ${source})
  string(REPLACE "/" "_" name ${name})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
  add_custom_command(OUTPUT ${object}
                     COMMAND ${STATEPATH_WASM_CLANG} ${wasm_compile} -DSTATEPATH_VERSION="${PROJECT_VERSION}"
                             -I${wasm_folder}/stand_in -I${CMAKE_CURRENT_SOURCE_DIR}/lib -I${CMAKE_CURRENT_SOURCE_DIR}/lib/include
                             -MD -MF ${object}.d -c ${source} -o ${object}
                     DEPENDS ${source} DEPFILE ${object}.d COMMENT "Compiling ${name} for statepath.wasm" VERBATIM)
  list(APPEND wasm_objects ${object})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wasm)
add_custom_command(OUTPUT ${STATEPATH_WASM_MODULE}
                   COMMAND ${STATEPATH_WASM_CLANG} ${wasm_link} ${wasm_objects} -o ${STATEPATH_WASM_MODULE}
                   DEPENDS ${wasm_objects} COMMENT "Linking statepath.wasm" VERBATIM)
add_custom_target(statepath-wasm ALL DEPENDS ${STATEPATH_WASM_MODULE})
install(FILES ${STATEPATH_WASM_MODULE} ${wasm_folder}/statepath.js ${wasm_folder}/package.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/statepath)
