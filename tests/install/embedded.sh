#!/bin/sh
# embedded.sh: can a project embed the tree, and does it then get the library and nothing else?
# Does a tree on its own build optimised, and need neither jansson without the command nor pkg-config?  Does
# DV_STATIC_DEPS link archives, and BUILD_SHARED_LIBS choose the library?  Is a 32-bit target refused?
# embedded.sh CMAKE
set -eu
cmake=$1
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CFLAGS CXXFLAGS LDFLAGS

# A machine that has what the library needs, but no jansson.
mkdir "$work/pc"
cp "$(pkg-config --variable=pcfiledir libdeflate)/libdeflate.pc" "$work/pc"
export PKG_CONFIG_LIBDIR="$work/pc"

for how in add_subdirectory FetchContent; do
    echo "by $how:"
    "$cmake" -G Ninja -S "$here" -B "$work/build" -DHOW=$how -DDATAVIEW="$tree" \
        -DDV_LEVELS=scalar -DCMAKE_C_FLAGS=-O0 >/dev/null
    "$cmake" --build "$work/build" >"$work/log" || { cat "$work/log" && exit 1; }
    for program in outside_c outside_static outside_cxx; do
        "$work/build/$program" "$tree/examples/sample.idv"
    done
done
if grep "Building C object _deps" "$work/log"; then
    echo "the second way does not use the objects of the first" && exit 1
fi

"$cmake" --install "$work/build" --prefix "$work/prefix" >/dev/null
if [ -e "$work/prefix" ]; then
    echo "the embedded tree installs:" && find "$work/prefix" && exit 1
fi

echo "on its own, without the command:"
"$cmake" -G Ninja -S "$tree" -B "$work/alone" -DDV_CLI=OFF >/dev/null
grep '^CMAKE_BUILD_TYPE:' "$work/alone/CMakeCache.txt" | tee "$work/type"
grep -q '=Release$' "$work/type"

echo "without pkg-config:"
without() { "$cmake" -G Ninja -S "$tree" -B "$work/without" -DDV_CLI=OFF -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON "$@" >"$work/log" 2>&1; }
if without; then
    echo "a build without libdeflate is not refused" && exit 1
fi
grep -q 'libdeflate is not found: install it' "$work/log"
without -Dlibdeflate_DIR="$here/packages" || { cat "$work/log" && exit 1; }
grep -q 'libdeflate\.so' "$work/without/build.ninja"

echo "with the libraries of others linked in:"
"$cmake" -G Ninja -S "$tree" -B "$work/static" -DDV_CLI=OFF -DDV_STATIC_DEPS=ON >/dev/null
grep -q 'libdeflate\.a' "$work/static/build.ninja"
if grep -E 'lib(deflate|z|zstd)\.so' "$work/static/build.ninja"; then
    echo "something still links the shared library" && exit 1
fi

echo "one library of the two:"
expect_library() { # BUILD_SHARED_LIBS, the library it installs, the other one, the word of the .pc file for what the archive needs
    "$cmake" -G Ninja -S "$tree" -B "$work/chosen" -DDV_CLI=OFF -DBUILD_SHARED_LIBS="$1" >/dev/null
    grep -q "/$2" "$work/chosen/cmake_install.cmake"
    grep -q "^$4: libdeflate" "$work/chosen/dataview.pc"
    if grep "/$3" "$work/chosen/cmake_install.cmake"; then
        echo "BUILD_SHARED_LIBS=$1 installs $3" && exit 1
    fi
}
expect_library ON 'libdataview\.so' 'libdataview\.a' Requires.private
expect_library OFF 'libdataview\.a' 'libdataview\.so' Requires
if grep 'libdataview\.so' "$work/chosen/build.ninja"; then
    echo "BUILD_SHARED_LIBS=OFF builds the shared library" && exit 1
fi

echo "for 32 bits:"
if "$cmake" -G Ninja -S "$tree" -B "$work/narrow" -DCMAKE_SIZEOF_VOID_P=4 -DCMAKE_C_COMPILER_WORKS=ON \
    -DCMAKE_C_ABI_COMPILED=ON >"$work/log" 2>&1; then
    echo "it is not refused" && exit 1
fi
tr -s '\n ' ' ' <"$work/log" | grep -o 'it needs a 64-bit little-endian target'
