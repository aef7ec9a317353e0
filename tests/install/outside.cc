// SPDX-License-Identifier: MIT
// outside.cc: can a C++ program that knows only the installed files open a table?
#include <dataview/dataview.h>

#include <iostream>

int main(int argc, char **argv)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (argc != 2)
        return 2;
    if (dv_open(&view, argv[1], nullptr, &err) != DV_OK) {
        std::cerr << err.message << '\n';
        return 1;
    }
    std::cout << "C++, dataview " << dv_version() << ": " << dv_view_rows(view) << " rows\n";
    dv_view_release(&view);
    return 0;
}
