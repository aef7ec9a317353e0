# How are programs for 64-bit ARM built, and run on a machine that is none?
# (Debian packages: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_C_FLAGS_INIT -march=armv8-a)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # so that the emulator needs no loader and no libraries

# Without an emulator no kernel would be tested, so there is no build either.  The CPU is an early
# one: an instruction of a later one ends the test.
find_program(DV_QEMU qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${DV_QEMU} -cpu cortex-a53)
