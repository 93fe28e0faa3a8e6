/* Let one system call of a process fail. Loaded before the C library, it counts the calls that work on files from
 * `failing_start` on, and lets the one with the number *at* fail with the errno *with*.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long due = -1, seen = 0;
static int kind = 0;

void failing_start(long at, int with) { due = at; kind = with; seen = 0; }
long failing_stop(void) { due = -1; return seen; }

static int fails(void) {
    if (due < 0) return 0;
    if (++seen != due) return 0;
    errno = kind;
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { REAL(pwrite64); return fails() ? -1 : real(f, b, n, o); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { REAL(pwrite); return fails() ? -1 : real(f, b, n, o); }
ssize_t pread64(int f, void *b, size_t n, off64_t o) { REAL(pread64); return fails() ? -1 : real(f, b, n, o); }
ssize_t pread(int f, void *b, size_t n, off_t o) { REAL(pread); return fails() ? -1 : real(f, b, n, o); }
ssize_t write(int f, const void *b, size_t n) { REAL(write); return f > 2 && fails() ? -1 : real(f, b, n); }
int fsync(int f) { REAL(fsync); return fails() ? -1 : real(f); }
int fdatasync(int f) { REAL(fdatasync); return fails() ? -1 : real(f); }
int ftruncate64(int f, off64_t n) { REAL(ftruncate64); return fails() ? -1 : real(f, n); }
int ftruncate(int f, off_t n) { REAL(ftruncate); return fails() ? -1 : real(f, n); }
int fallocate64(int f, int m, off64_t o, off64_t n) { REAL(fallocate64); return fails() ? -1 : real(f, m, o, n); }
int unlink(const char *p) { REAL(unlink); return fails() ? -1 : real(p); }
int rename(const char *a, const char *b) { REAL(rename); return fails() ? -1 : real(a, b); }
int mkdir(const char *p, mode_t m) { REAL(mkdir); return fails() ? -1 : real(p, m); }

void *mmap64(void *a, size_t n, int p, int g, int f, off64_t o) {
    REAL(mmap64);
    return f >= 0 && fails() ? MAP_FAILED : real(a, n, p, g, f, o);
}

void *mmap(void *a, size_t n, int p, int g, int f, off_t o) {
    REAL(mmap);
    return f >= 0 && fails() ? MAP_FAILED : real(a, n, p, g, f, o);
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

int open64(const char *p, int flags, ...) {
    REAL(open64);
    va_list rest; va_start(rest, flags); mode_t m = mode_of(flags, rest); va_end(rest);
    return fails() ? -1 : real(p, flags, m);
}

int open(const char *p, int flags, ...) {
    REAL(open);
    va_list rest; va_start(rest, flags); mode_t m = mode_of(flags, rest); va_end(rest);
    return fails() ? -1 : real(p, flags, m);
}

static int fcntl_of(int (*real)(int, int, ...), int f, int c, void *a) {
    /* Giving a lock back does not fail, and what asks for nothing but flags neither. */
    return c != F_GETFD && c != F_SETFD && fails() ? -1 : real(f, c, a);
}

int fcntl64(int f, int c, ...) {
    static int (*real)(int, int, ...);
    if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64");
    va_list rest; va_start(rest, c); void *a = va_arg(rest, void *); va_end(rest);
    return fcntl_of(real, f, c, a);
}

int fcntl(int f, int c, ...) {
    static int (*real)(int, int, ...);
    if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    va_list rest; va_start(rest, c); void *a = va_arg(rest, void *); va_end(rest);
    return fcntl_of(real, f, c, a);
}
