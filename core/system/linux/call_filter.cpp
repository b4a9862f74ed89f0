#include "core/system/linux/call_filter.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/system/posix/files.h"

namespace snapviewer {
namespace {

// All processors use the same numbers for system calls from 424 on. Older headers lack the names of these calls.
constexpr int k_process_mrelease = 448;
constexpr int k_fchmodat2 = 452;
constexpr int k_setxattrat = 463;
constexpr int k_removexattrat = 466;
constexpr int k_open_tree_attr = 467;
constexpr int k_file_setattr = 469;
constexpr int k_last_known_call = k_file_setattr;
constexpr int k_last_refused_call = 599;  // the kernel gets some five new calls a year

constexpr std::uint64_t k_lower_half = 0xFFFFFFFF;  // the part of most arguments that the kernel reads

// The filter was tested only on x86-64 and 64-bit Arm. On other processors the order of arguments may differ, for example in
// clone().
#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)
constexpr bool k_knows_processor = true;
#else
constexpr bool k_knows_processor = false;
#endif

/// System calls that are refused to threads that write or draw.
constexpr int k_refused_calls[] = {
    // calls that start other programs or affect other processes
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise), k_process_mrelease, SCMP_SYS(migrate_pages), SCMP_SYS(move_pages), SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_open), SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    // calls for new connections, and for messages over existing ones: a datagram reaches any local socket and can pass a
    // descriptor
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg), SCMP_SYS(connect), SCMP_SYS(bind),
    SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4),
    // calls with which a thread could circumvent this filter, and calls that a viewer does not need
    SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(personality),
    // calls for system administration
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
    SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(mount_setattr), k_open_tree_attr,
    SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(acct), SCMP_SYS(quotactl),
    SCMP_SYS(quotactl_fd), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(syslog), SCMP_SYS(vhangup), SCMP_SYS(setuid), SCMP_SYS(setgid),
    SCMP_SYS(setreuid), SCMP_SYS(setregid), SCMP_SYS(setresuid), SCMP_SYS(setresgid), SCMP_SYS(setgroups),
    SCMP_SYS(setfsuid), SCMP_SYS(setfsgid), SCMP_SYS(capset),
    // calls for shared memory and queues that other programs of the user can open
    SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmdt), SCMP_SYS(shmctl), SCMP_SYS(msgget), SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(semget), SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl),
    SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
    // calls that lock files, which keeps other programs waiting and needs no right to write
    SCMP_SYS(flock),
    // calls that change files in ways that no export needs; some of them need only a descriptor for reading
    SCMP_SYS(fchmod), SCMP_SYS(fchown), SCMP_SYS(truncate), SCMP_SYS(linkat), SCMP_SYS(symlinkat), SCMP_SYS(mknodat),
    SCMP_SYS(fchmodat), k_fchmodat2, SCMP_SYS(fchownat), SCMP_SYS(utimensat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
    SCMP_SYS(fsetxattr), k_setxattrat, SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr),
    k_removexattrat, k_file_setattr, SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(kexec_file_load), SCMP_SYS(iopl),
    SCMP_SYS(ioperm), SCMP_SYS(modify_ldt), SCMP_SYS(uselib), SCMP_SYS(ustat), SCMP_SYS(link), SCMP_SYS(symlink),
    SCMP_SYS(mknod), SCMP_SYS(chmod), SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(utime), SCMP_SYS(utimes),
    SCMP_SYS(futimesat)};

/// System calls that are allowed to threads that only read, with any arguments.
constexpr int k_allowed_to_readers[] = {
    // calls that use open descriptors
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(readv), SCMP_SYS(preadv), SCMP_SYS(preadv2), SCMP_SYS(write),
    SCMP_SYS(pwrite64), SCMP_SYS(writev), SCMP_SYS(pwritev), SCMP_SYS(pwritev2), SCMP_SYS(lseek), SCMP_SYS(close),
    SCMP_SYS(close_range), SCMP_SYS(dup), SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(fsync), SCMP_SYS(fdatasync),
    SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fadvise64), SCMP_SYS(readahead), SCMP_SYS(sendfile),
    SCMP_SYS(copy_file_range), SCMP_SYS(splice), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
    SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
    SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(memfd_create),
    // calls that return information about files
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(statfs),
    SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(getdents), SCMP_SYS(getdents64), SCMP_SYS(getcwd),
    // calls about memory; calls that can make it executable are further down
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(mincore), SCMP_SYS(msync),
    SCMP_SYS(membarrier),
    // calls about this thread and other threads of the process
    SCMP_SYS(futex), SCMP_SYS(futex_waitv), SCMP_SYS(set_robust_list), SCMP_SYS(set_tid_address), SCMP_SYS(rseq),
    SCMP_SYS(arch_prctl), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min), SCMP_SYS(getcpu),
    SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall), SCMP_SYS(wait4), SCMP_SYS(waitid),
    // calls about signals
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigtimedwait), SCMP_SYS(rt_sigsuspend), SCMP_SYS(sigaltstack), SCMP_SYS(pause),
    // calls about time, and about the process and the system
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday),
    SCMP_SYS(time), SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(getrlimit), SCMP_SYS(getpriority), SCMP_SYS(getpid),
    SCMP_SYS(getppid), SCMP_SYS(getpgrp), SCMP_SYS(getpgid), SCMP_SYS(getsid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getresuid), SCMP_SYS(getresgid), SCMP_SYS(getgroups), SCMP_SYS(capget),
    SCMP_SYS(uname), SCMP_SYS(sysinfo), SCMP_SYS(getrandom),
    // calls with which a process restricts itself further
    SCMP_SYS(seccomp), SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_add_rule), SCMP_SYS(landlock_restrict_self)};

/// Operations of fcntl() that are allowed to threads that only read. The list contains no locks, leases and signals.
constexpr int k_reader_file_controls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
                                          F_SETFL, F_GETPIPE_SZ,    F_SETPIPE_SZ, F_GET_SEALS, F_ADD_SEALS};

// TCGETS2, TCSETS2, TCSETSW2 and TCSETSF2, whose header cannot be included beside that of the C library.
constexpr unsigned long k_get_terminal = 0x802C542A;
constexpr unsigned long k_set_terminal[] = {0x402C542B, 0x402C542C, 0x402C542D};

/// Operations of ioctl() that are allowed to threads that only read: testing whether a descriptor is a terminal, and reading
/// its size. isatty() uses k_get_terminal from glibc 2.42 on and TCGETS before.
constexpr unsigned long k_reader_device_controls[] = {TCGETS, k_get_terminal, TIOCGWINSZ, FIONREAD};

/// Operations of ioctl() that are refused to threads that write or draw, besides k_set_terminal.
constexpr unsigned long k_refused_device_controls[] = {
    // signals to the owner of a descriptor
    FIOSETOWN, SIOCSPGRP, TIOCSPGRP,
    // typing into the terminal, or changing it for the shell that uses it next
    TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCSWINSZ, TIOCEXCL, TIOCSETD, TCSETS, TCSETSW, TCSETSF, TCSETA, TCSETAW, TCSETAF,
    // attributes of files that need no descriptor for writing, and whole file systems
    FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC32_SETVERSION, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY,
    FIFREEZE, FITHAW, FITRIM};

/// Operations of prctl() that are allowed to threads that only read. Allocators and the C library use some of them to name
/// memory and threads.
constexpr int k_reader_process_controls[] = {PR_GET_NAME,         PR_SET_NAME,         PR_SET_VMA,     PR_GET_SECCOMP,
                                             PR_GET_NO_NEW_PRIVS, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_READ};

// Calls that fail with ENOSYS. The C library then falls back to older calls. The arguments of these calls are in memory,
// where a filter cannot see them.
constexpr int k_unsupported_calls[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};

/// The rules of a filter, stored by libseccomp. A call without a rule gets the filter's default action. Rules for calls that
/// the processor does not have are left out.
class CallRules {
public:
    explicit CallRules(std::uint32_t otherwise)
        : default_action_(otherwise), context_(seccomp_init(otherwise), seccomp_release) {
        if (context_ == nullptr) {
            error_ = ENOMEM;
            return;
        }
        seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        constexpr unsigned k_as_tree = 2;
        seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, k_as_tree);
    }

    /// Adds a rule: the kernel answers `call` with `action` if its arguments meet all conditions.
    void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
        if (error_ != 0 || action == default_action_) return;
        error_ = -seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(conditions.size()),
                                         conditions.size() == 0 ? nullptr : conditions.begin());
    }
    void refuse(int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
        add(SCMP_ACT_ERRNO(EPERM), call, conditions);
    }
    void allow(int call, std::initializer_list<scmp_arg_cmp> conditions = {}) { add(SCMP_ACT_ALLOW, call, conditions); }

    /// Compiles the rules into a program for the kernel. Returns 0 or an errno.
    int compile(std::vector<sock_filter>& program) {
        // The program is passed through a pipe, because no limit on file sizes applies to it and the longest possible filter
        // fits into its buffer.
        int ends[2] = {-1, -1};
        if (error_ == 0 && ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) error_ = errno;
        const FileHandle reader(ends[0]), writer(ends[1]);
        if (error_ == 0) error_ = -seccomp_export_bpf(context_.get(), descriptor_of(writer));
        if (error_ != 0) return error_;
        program.resize(BPF_MAXINSNS);
        const ssize_t bytes = ::read(descriptor_of(reader), program.data(), program.size() * sizeof(sock_filter));
        if (bytes <= 0) return EIO;
        program.resize(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
        return 0;
    }

private:
    std::uint32_t default_action_;
    std::unique_ptr<void, decltype(&seccomp_release)> context_;
    int error_ = 0;
};

/// A condition that the lower 32 bits of an argument equal `value`, for an argument whose upper bits the kernel ignores. A
/// condition on all 64 bits could be circumvented.
scmp_arg_cmp is(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_MASKED_EQ, k_lower_half, value}; }
scmp_arg_cmp has_bits(unsigned argument, std::uint64_t mask, std::uint64_t bits) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, bits};
}
/// A condition that all 64 bits of an argument are equal to `value`.
scmp_arg_cmp equals(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp differs(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
std::uint64_t own_process() { return static_cast<std::uint64_t>(::getpid()); }

/// True if open() with these flags changes no existing file: it reads, creates an unnamed file or, if `makes_files`, a new
/// one.
bool only_reads(int flags, bool makes_files) {
    if ((flags & O_TMPFILE) == O_TMPFILE) return true;
    if (makes_files && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return true;
    return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/// Allows each combination of the flags that matter for which only_reads() holds.
void allow_reading_opens(CallRules& rules, int call, unsigned argument, bool makes_files) {
    constexpr std::array k_flags = {O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY};
    int mask = 0;
    for (const int flag : k_flags) mask |= flag;
    for (unsigned set = 0; set < 1U << k_flags.size(); ++set) {
        int flags = 0;
        for (unsigned rest = set; rest != 0; rest &= rest - 1)
            flags |= k_flags[static_cast<std::size_t>(std::countr_zero(rest))];
        if (only_reads(flags, makes_files))
            rules.allow(call, {has_bits(argument, static_cast<unsigned>(mask), static_cast<unsigned>(flags))});
    }
}

/// Adds the allow-list. A call without a rule is refused.
void add_reader_rules(CallRules& rules, bool makes_files) {
    for (const int call : k_allowed_to_readers) rules.allow(call);
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
        rules.allow(call, {equals(0, own_process())});
        // Refuses signals to other processes without a report, because a cancelled load sends one to its ssh or curl, which
        // ends by itself when its pipe closes.
        rules.refuse(call, {differs(0, own_process())});
    }
    for (const int call : {SCMP_SYS(prlimit64), SCMP_SYS(get_robust_list)}) rules.allow(call, {equals(0, 0)});
    rules.allow(SCMP_SYS(clone), {has_bits(0, CLONE_THREAD, CLONE_THREAD)});
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) rules.allow(call, {has_bits(2, PROT_EXEC, 0)});
    for (const int operation : k_reader_file_controls)
        rules.allow(SCMP_SYS(fcntl), {is(1, static_cast<std::uint64_t>(operation))});
    for (const unsigned long operation : k_reader_device_controls) rules.allow(SCMP_SYS(ioctl), {is(1, operation)});
    for (const int operation : k_reader_process_controls)
        rules.allow(SCMP_SYS(prctl), {is(0, static_cast<std::uint64_t>(operation))});
    allow_reading_opens(rules, SCMP_SYS(openat), 2, makes_files);
    allow_reading_opens(rules, SCMP_SYS(open), 1, makes_files);
    if (!makes_files) return;
    rules.allow(SCMP_SYS(mkdir));
    rules.allow(SCMP_SYS(mkdirat));
}

/// Refuses operations on descriptors that affect other processes, other files than the open one, or the terminal.
void refuse_controls(CallRules& rules) {
    // Signals of a descriptor go to its owner, which can be any process. A lease or a lock makes other processes wait.
    for (const int operation :
         {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW})
        rules.refuse(SCMP_SYS(fcntl), {is(1, static_cast<std::uint64_t>(operation))});
    for (const unsigned long operation : k_refused_device_controls) rules.refuse(SCMP_SYS(ioctl), {is(1, operation)});
    for (const unsigned long operation : k_set_terminal) rules.refuse(SCMP_SYS(ioctl), {is(1, operation)});
}

/// Adds the deny-list. A call without a rule is allowed.
void add_writer_rules(CallRules& rules, NewCode new_code) {
    for (const int call : k_refused_calls) rules.refuse(call);
    rules.refuse(SCMP_SYS(sendto), {differs(4, 0)});
    rules.refuse(SCMP_SYS(clone), {has_bits(0, CLONE_THREAD, 0)});
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) rules.refuse(call, {differs(0, own_process())});
    for (const int call : {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
                           SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr), SCMP_SYS(get_robust_list)})
        rules.refuse(call, {differs(0, 0)});
    constexpr std::uint64_t k_ioprio_process = 1;  // IOPRIO_WHO_PROCESS, which is not in any header for user programs
    for (const auto& [call, process] : {std::pair(SCMP_SYS(setpriority), std::uint64_t{PRIO_PROCESS}),
                                        std::pair(SCMP_SYS(ioprio_set), k_ioprio_process)}) {
        rules.refuse(call, {differs(0, process)});
        rules.refuse(call, {differs(1, 0)});
    }
    refuse_controls(rules);
    if (new_code == NewCode::allowed) return;
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(pkey_mprotect)})
        rules.refuse(call, {has_bits(2, PROT_EXEC, PROT_EXEC)});
}

struct FilterKind {
    FileChanges changes;
    NewCode new_code;
    CallRefusal refusal;
    auto operator<=>(const FilterKind&) const = default;
};

/// Returns the filter program from a cache, or compiles it. The window enters the sandbox with every thread, so compiling
/// each time would be slow. Returns 0 or an errno. Thread-safe.
int cached_program(const FilterKind& kind, std::vector<sock_filter>& program) {
    static std::mutex mutex;
    static pid_t process = 0;
    static std::map<FilterKind, std::vector<sock_filter>> programs;
    const std::lock_guard lock(mutex);
    // Filter programs contain the process id, and this process may be a child of the one that compiled them.
    if (std::exchange(process, ::getpid()) != ::getpid()) programs.clear();
    std::vector<sock_filter>& cached = programs[kind];
    const int error = cached.empty() ? compile_call_filter(kind.changes, kind.new_code, kind.refusal, cached) : 0;
    if (error != 0) cached.clear();
    program = cached;
    return error;
}

}  // namespace

int compile_call_filter(FileChanges changes, NewCode new_code, CallRefusal refusal, std::vector<sock_filter>& program) {
    const bool only_reads = changes != FileChanges::any && new_code == NewCode::refused;
    const std::uint32_t refused = refusal == CallRefusal::reported ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM);
    CallRules rules(only_reads ? refused : SCMP_ACT_ALLOW);
    for (const int call : k_unsupported_calls) rules.add(SCMP_ACT_ERRNO(ENOSYS), call);
    for (int call = k_last_known_call + 1; call <= k_last_refused_call; ++call) rules.add(SCMP_ACT_ERRNO(ENOSYS), call);
    if (only_reads)
        add_reader_rules(rules, changes == FileChanges::new_files);
    else
        add_writer_rules(rules, new_code);
    return rules.compile(program);
}

int filter_system_calls(FileChanges changes, NewCode new_code, CallRefusal refusal) {
    if (!k_knows_processor) return ENOSYS;
    std::vector<sock_filter> program;
    if (const int error = cached_program({changes, new_code, refusal}, program); error != 0) return error;
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

}  // namespace snapviewer
