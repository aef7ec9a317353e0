#!/bin/bash -eu
# SPDX-License-Identifier: MIT
# build.sh: builds every fuzz target as OSS-Fuzz runs it: $OUT gets the program, its seeds, its dictionary and its options.
# OSS-Fuzz sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT.  The packages of the image are not there
# when a target runs, so they are linked as archives.
tree=$SRC/dataview
build=$WORK/dataview
names=$(cd "$tree/fuzz" && basename -s .c fuzz_*.c)

# Without a build type no flag comes after those of OSS-Fuzz.
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DDV_EXAMPLES=OFF -DDV_INSTALL=OFF \
    -DDV_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DCMAKE_PROJECT_dataview_INCLUDE="$tree/fuzz/oss-fuzz/archives.cmake"
# shellcheck disable=SC2086 # names are words
cmake --build "$build" --target $names

for name in $names; do
    target=${name#fuzz_}
    cp "$build/bin/$name" "$OUT/"
    rm -f "$OUT/${name}_seed_corpus.zip"
    zip -jqr "$OUT/${name}_seed_corpus.zip" "$tree/fuzz/seeds/$target"
    printf '[libfuzzer]\nmax_len = 131072\n' >"$OUT/$name.options"
    if [ -f "$tree/fuzz/dict/$target.dict" ]; then
        cp "$tree/fuzz/dict/$target.dict" "$OUT/$name.dict"
        printf 'dict = %s.dict\n' "$name" >>"$OUT/$name.options"
    fi
done
