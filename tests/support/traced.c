/* SPDX-License-Identifier: MIT */
/* traced.c: a command that is killed after its k-th system call. */
#include "support/traced.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                                    \
    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)
#define SYSCALL_STOP (SIGTRAP | 0x80)
#define NOT_TRACED 77 /* the exit status of a child that could not be */

static void run(char *const *argv)
{
    const int nowhere = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; fd++)
        dup2(nowhere, fd);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* that needs to trace too */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)
        _exit(NOT_TRACED);
    execv(argv[0], argv);
    _exit(127);
}

static int wait_for(pid_t who, pid_t *who_out)
{
    int status = 0;
    do
        *who_out = waitpid(who, &status, __WALL);
    while (*who_out < 0 && errno == EINTR);
    return status;
}

/* Signals are passed on to the command, except those of the tracer. */
static int signal_of(int status)
{
    const int number = WSTOPSIG(status);
    const bool is_ours = number == SYSCALL_STOP || number == SIGTRAP || number == SIGSTOP;
    return is_ours ? 0 : number;
}

/* Is this stop the end of a system call of the command itself? */
static bool is_call_done(pid_t thread, int status)
{
    struct __ptrace_syscall_info info;
    return WSTOPSIG(status) == SYSCALL_STOP &&
           ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info) > 0 &&
           info.op == PTRACE_SYSCALL_INFO_EXIT;
}

/* From one stop to the next, of any thread. */
static dvt_traced follow(pid_t child, int64_t k, int *status_out)
{
    for (pid_t thread = child; thread > 0;) {
        const int status = wait_for(-1, &thread);
        if (thread == child && (WIFEXITED(status) || WIFSIGNALED(status))) {
            *status_out = status;
            return DVT_TRACED_ENDED;
        }
        if (!WIFSTOPPED(status))
            continue;
        if (is_call_done(thread, status) && --k == 0) {
            kill(child, SIGKILL);
            while (waitpid(-1, NULL, __WALL) > 0)
                ;
            return DVT_TRACED_KILLED;
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(intptr_t)signal_of(status));
    }
    return DVT_TRACED_REFUSED;
}

dvt_traced dvt_trace(char *const *argv, int64_t k, int *status_out)
{
    pid_t stopped;
    const pid_t child = fork();
    if (child < 0)
        return DVT_TRACED_REFUSED;
    if (child == 0)
        run(argv);
    const int status = wait_for(child, &stopped);
    if (!WIFSTOPPED(status))
        return DVT_TRACED_REFUSED;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)OPTIONS) != 0 ||
        ptrace(PTRACE_SYSCALL, child, NULL, NULL) != 0) {
        kill(child, SIGKILL);
        wait_for(child, &stopped);
        return DVT_TRACED_REFUSED;
    }
    return follow(child, k, status_out);
}
