/* SPDX-License-Identifier: MIT */
/* levels.h: lists the levels on which a kernel runs here. */
#ifndef DVB_LEVELS_H
#define DVB_LEVELS_H

#include "simd/kernel.h"
#include <string>
#include <vector>

namespace dvb
{

/* Those that the CPU has, scalar first.  None is left out. */
inline std::vector<dv_level> levels()
{
    std::vector<dv_level> found;
    for (int i = 0; i < DV_LEVELS; i++)
        if (dvi_kernels_at(static_cast<dv_level>(i)))
            found.push_back(static_cast<dv_level>(i));
    return found;
}

/* A goal is for the level that users get. */
inline double goal_at(dv_level level, double goal)
{
    return level == dv_level_in_use() ? goal : 0;
}

/* The same for a kernel of which that level may be a lower one (choice.h). */
template <class Kernel> double goal_of(Kernel kernel, dv_level level, double goal)
{
    const bool is_own = dvi_kernels_at(dv_level_in_use())->*kernel == dvi_kernels()->*kernel;
    const bool is_taken = dvi_kernels_at(level)->*kernel == dvi_kernels()->*kernel;
    return is_own ? goal_at(level, goal) : is_taken ? goal : 0;
}

} // namespace dvb

#endif
