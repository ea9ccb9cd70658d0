# drx_warnings(TARGET [more options ...])
function(drx_warnings target)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wundef -Wpointer-arith -Wwrite-strings
        -Wstrict-prototypes -Wold-style-definition -Wimplicit-fallthrough ${ARGN})
    if(DRX_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()
