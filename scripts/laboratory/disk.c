/* Loaded into servers and databases with LD_PRELOAD: a disk that can be full, read-only or failing, a disk that has lost
 * power, and a clock that jumps. Only files below FAULTS_ROOT are looked at.
 *
 * Power loss: FAULTS_DISK is a copy of FAULTS_ROOT that holds of each file what was last synced. fsync and fdatasync copy
 * what differs; names (rename, unlink, link) are taken over at once. Whoever throws FAULTS_ROOT away and takes the copy has
 * lost every write that was not synced, whichever process made it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { FINE, FULL, READ_ONLY, FAILING };
struct control {
    int mode;
    int permille; /* how many of a thousand calls fail, where calls fail by chance */
    long long clock; /* nanoseconds that the clock is wrong by */
};

static struct control fine;
static volatile struct control *control = &fine;
static char root[PATH_MAX], disk[PATH_MAX];
static size_t root_length;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAULTS_CONTROL"), *of = getenv("FAULTS_ROOT"), *to = getenv("FAULTS_DISK");
    if (of && to) {
        snprintf(root, sizeof root, "%s", of);
        snprintf(disk, sizeof disk, "%s", to);
        root_length = strlen(root);
    }
    int fd = at ? (int)open(at, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        void *page = mmap(NULL, sizeof fine, PROT_READ, MAP_SHARED, fd, 0);
        if (page != MAP_FAILED) control = page;
        close(fd);
    }
}

#define REAL(name, type, ...)                                             \
    static type (*real)(__VA_ARGS__);                                     \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int is_ours(const char *path) {
    return root_length && !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_ours(path) && !strstr(path, " (deleted)");
}

static int copy_of(const char *path, char *copy) {
    return snprintf(copy, PATH_MAX, "%s%s", disk, path + root_length) < PATH_MAX;
}

static int absolute(const char *path, char *out) {
    if (path[0] == '/') return snprintf(out, PATH_MAX, "%s", path) < PATH_MAX && is_ours(out);
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return 0;
    while (path[0] == '.' && path[1] == '/') path += 2;
    return snprintf(out, PATH_MAX, "%s/%s", here, path) < PATH_MAX && is_ours(out);
}

static int by_chance(void) {
    static __thread unsigned seed;
    if (!seed) seed = (unsigned)time(NULL) ^ ((unsigned)getpid() << 8) ^ 1u;
    return (int)(rand_r(&seed) % 1000) < control->permille;
}

/* The error that a write of so many bytes at a place (-1: where the file is) gets now, or 0. */
static int error_of_write(int fd, long long place, long long length) {
    int mode = control->mode;
    char path[PATH_MAX];
    struct stat now;
    if (mode == FINE || !path_of(fd, path)) return 0;
    if (mode == READ_ONLY) return EROFS;
    if (mode == FAILING) return by_chance() ? EIO : 0;
    if (fstat(fd, &now) || !S_ISREG(now.st_mode)) return 0;
    if (place < 0) place = fcntl(fd, F_GETFL) & O_APPEND ? now.st_size : lseek(fd, 0, SEEK_CUR);
    return place + length > now.st_size ? ENOSPC : 0;
}

#define REFUSED(fd, place, length)                                        \
    do {                                                                  \
        int wrong = error_of_write(fd, place, length);                    \
        if (wrong) { errno = wrong; return -1; }                          \
    } while (0)

ssize_t write(int fd, const void *from, size_t length) {
    REAL("write", ssize_t, int, const void *, size_t);
    if (control->mode) REFUSED(fd, -1, (long long)length);
    return real(fd, from, length);
}
ssize_t pwrite(int fd, const void *from, size_t length, off_t place) {
    REAL("pwrite", ssize_t, int, const void *, size_t, off_t);
    if (control->mode) REFUSED(fd, place, (long long)length);
    return real(fd, from, length, place);
}
ssize_t pwrite64(int fd, const void *from, size_t length, off64_t place) { return pwrite(fd, from, length, place); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t place) {
    REAL("pwritev", ssize_t, int, const struct iovec *, int, off_t);
    if (control->mode) REFUSED(fd, place, 1);
    return real(fd, parts, count, place);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t place) { return pwritev(fd, parts, count, place); }
int ftruncate(int fd, off_t length) {
    REAL("ftruncate", int, int, off_t);
    if (control->mode == READ_ONLY || control->mode == FAILING) REFUSED(fd, 0, 0);
    return real(fd, length);
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }
int posix_fallocate(int fd, off_t place, off_t length) {
    REAL("posix_fallocate", int, int, off_t, off_t);
    int wrong = control->mode ? error_of_write(fd, place, length) : 0;
    return wrong ? wrong : real(fd, place, length);
}
int posix_fallocate64(int fd, off64_t place, off64_t length) { return posix_fallocate(fd, place, length); }
ssize_t pread(int fd, void *to, size_t length, off_t place) {
    REAL("pread", ssize_t, int, void *, size_t, off_t);
    if (control->mode == FAILING) REFUSED(fd, place, 0);
    return real(fd, to, length, place);
}
ssize_t pread64(int fd, void *to, size_t length, off64_t place) { return pread(fd, to, length, place); }

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    REAL("openat", int, int, const char *, int, ...);
    char full[PATH_MAX];
    if (control->mode == READ_ONLY && flags & (O_WRONLY | O_RDWR | O_CREAT) && directory == AT_FDCWD && absolute(path, full)) {
        errno = EROFS;
        return -1;
    }
    return real(directory, path, flags, mode);
}
#define OPEN_MODE(last)                                                   \
    mode_t mode = 0;                                                      \
    if (flags & (O_CREAT | O_TMPFILE)) {                                  \
        va_list more;                                                     \
        va_start(more, last);                                             \
        mode = va_arg(more, mode_t);                                      \
        va_end(more);                                                     \
    }
int open(const char *path, int flags, ...) { OPEN_MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { OPEN_MODE(flags) return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { OPEN_MODE(flags) return open_at(at, path, flags, mode); }

/* What is synced */

static void make_parents(char *path) {
    for (char *each = path + strlen(disk) + 1; (each = strchr(each, '/')); each++) {
        *each = 0;
        mkdir(path, 0700);
        *each = '/';
    }
}

static int copy_differences(int from, const char *copy) {
    static __thread char ours[65536], theirs[65536];
    struct stat now;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", copy);
    make_parents(path);
    int to = open_at(AT_FDCWD, copy, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (to < 0 || fstat(from, &now)) return -1;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", from);
    int reading = open_at(AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    REAL("pread", ssize_t, int, void *, size_t, off_t);
    static ssize_t (*put)(int, const void *, size_t, off_t);
    static int (*cut)(int, off_t);
    if (!put) put = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    if (!cut) cut = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate");
    int wrong = reading < 0;
    for (off_t place = 0; !wrong && place < now.st_size; place += (off_t)sizeof ours) {
        ssize_t length = real(reading, ours, sizeof ours, place);
        if (length <= 0) break;
        ssize_t there = real(to, theirs, (size_t)length, place);
        if (there != length || memcmp(ours, theirs, (size_t)length)) wrong = put(to, ours, (size_t)length, place) != length;
    }
    if (!wrong) wrong = cut(to, now.st_size) != 0;
    close(to);
    if (reading >= 0) close(reading);
    return wrong ? -1 : 0;
}

static int sync_file(int fd, int (*real)(int)) {
    char path[PATH_MAX], copy[PATH_MAX];
    struct stat now;
    if (!path_of(fd, path)) return real(fd);
    if (control->mode == FAILING && by_chance()) { errno = EIO; return -1; }
    if (fstat(fd, &now) || !S_ISREG(now.st_mode)) return 0;
    if (!copy_of(path, copy) || copy_differences(fd, copy)) { errno = EIO; return -1; }
    return 0;
}
int fsync(int fd) {
    REAL("fsync", int, int);
    return sync_file(fd, real);
}
int fdatasync(int fd) {
    REAL("fdatasync", int, int);
    return sync_file(fd, real);
}

/* Names */

static int on_disk(const char *path, char *copy) {
    char full[PATH_MAX];
    return absolute(path, full) && copy_of(full, copy);
}
int unlink(const char *path) {
    REAL("unlink", int, const char *);
    char copy[PATH_MAX];
    int found = on_disk(path, copy), done = real(path), why = errno;
    if (!done && found) real(copy);
    errno = why;
    return done;
}
int rmdir(const char *path) {
    REAL("rmdir", int, const char *);
    char copy[PATH_MAX];
    int found = on_disk(path, copy), done = real(path), why = errno;
    if (!done && found) real(copy);
    errno = why;
    return done;
}
int rename(const char *from, const char *to) {
    REAL("rename", int, const char *, const char *);
    char before[PATH_MAX], after[PATH_MAX];
    int found = on_disk(from, before) && on_disk(to, after), done = real(from, to), why = errno;
    if (!done && found) real(before, after);
    errno = why;
    return done;
}
int link(const char *from, const char *to) {
    REAL("link", int, const char *, const char *);
    char before[PATH_MAX], after[PATH_MAX];
    int found = on_disk(from, before) && on_disk(to, after), done = real(from, to), why = errno;
    if (!done && found) real(before, after);
    errno = why;
    return done;
}

/* The clock */

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL("clock_gettime", int, clockid_t, struct timespec *);
    int done = real(clock, now);
    long long wrong = control->clock;
    if (!done && wrong && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        long long all = now->tv_sec * 1000000000LL + now->tv_nsec + wrong;
        now->tv_sec = all / 1000000000LL;
        now->tv_nsec = all % 1000000000LL;
    }
    return done;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *to) {
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
    if (to) *to = precise.tv_sec;
    return precise.tv_sec;
}
