/* SPDX-License-Identifier: MIT */
/* views.h: views that release themselves; an error ends the program with its message. */
#ifndef DVB_VIEWS_H
#define DVB_VIEWS_H

#include <dataview/view.h>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace dvb
{

using View = std::shared_ptr<dv_view>;

[[noreturn]] inline void fail(const dv_error &err)
{
    std::fprintf(stderr, "%s\n", err.message);
    std::exit(1);
}

/* The result of a call that made a view. */
inline View own(dv_status status, dv_view *view, const dv_error &err)
{
    if (status != DV_OK)
        fail(err);
    return View(view, [](dv_view *last) { dv_view_release(&last); });
}

} // namespace dvb

#endif
