/* SPDX-License-Identifier: MIT */
/* init.c: the only process of the emulated Linux: runs one command, reports its exit status and
 * switches the machine off. avx512.py starts it as process 1 and reads both serial lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define MOST_WORDS 256
#define SHUTDOWN_PORT 0x8900 /* of Bochs */

/* The words of a file, each with its NUL, and NULL at the end. */
static char **read_words(const char *name)
{
    static char text[2][65536];
    static char *words[2][MOST_WORDS + 1];
    static int files;
    char *const start = text[files], **const list = words[files];
    files++;

    const int fd = open(name, O_RDONLY);
    const ssize_t nbytes = read(fd, start, sizeof text[0] - 1);
    close(fd);
    int n = 0;
    for (char *word = start; word < start + nbytes && n < MOST_WORDS; word += strlen(word) + 1)
        list[n++] = word;
    return list;
}

/* The second serial line, in raw mode at full speed. */
static int open_output(void)
{
    const int fd = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
    struct termios line;
    if (fd >= 0 && tcgetattr(fd, &line) == 0) {
        cfmakeraw(&line);
        cfsetspeed(&line, B115200);
        tcsetattr(fd, TCSANOW, &line);
    }
    return fd;
}

static void run(const char *program, int output)
{
    char **arguments = read_words("/arguments"), **environment = read_words("/environment");
    dup2(output, 1);
    dup2(output, 2);
    execve(program, arguments, environment);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

static void switch_off(void)
{
    if (ioperm(SHUTDOWN_PORT, 1, 1) == 0)
        for (const char *c = "Shutdown"; *c; c++)
            outb((unsigned char)*c, SHUTDOWN_PORT);
    for (;;)
        pause();
}

int main(void)
{
    mkdir("/proc", 0755);
    mkdir("/dev", 0755);
    mkdir("/tmp", 0777);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("dev", "/dev", "devtmpfs", 0, NULL);

    const int console = open("/dev/ttyS0", O_WRONLY | O_NOCTTY), output = open_output();
    const pid_t child = fork();
    if (child == 0)
        run("/program", output);
    int status = 0;
    while (child > 0 && wait(&status) != child)
        ;
    tcdrain(output);
    dprintf(console, "\nprogram: %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    tcdrain(console);
    switch_off();
}
