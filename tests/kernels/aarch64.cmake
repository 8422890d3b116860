# For Debian's cross compiler: cmake -DCMAKE_TOOLCHAIN_FILE=tests/kernels/aarch64.cmake -DSTATEPATH_CORE_ONLY=ON
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
