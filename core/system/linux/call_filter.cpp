#include "core/system/linux/call_filter.h"

#include <fcntl.h>
#include <linux/filter.h>
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
#include <vector>

#include "core/system/posix/calls.h"

namespace snapviewer {
namespace {

// Processors number calls alike from 424 on; older headers do not name these.
constexpr int k_process_mrelease = 448;
constexpr int k_fchmodat2 = 452;
constexpr int k_setxattrat = 463;
constexpr int k_removexattrat = 466;
constexpr int k_open_tree_attr = 467;
constexpr int k_file_setattr = 469;
constexpr int k_newest_known = k_file_setattr;
constexpr int k_newest_refused = 599;  // the kernel gets some five calls a year

constexpr std::uint64_t k_lower_half = 0xFFFFFFFF;  // all that the kernel looks at of most arguments

// Tried on these alone; on others, clone() for one may have its arguments in another order.
#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)
constexpr bool k_knows_processor = true;
#else
constexpr bool k_knows_processor = false;
#endif

constexpr int k_refused[] = {
    // other programs, and a hand on other processes
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    k_process_mrelease,
    SCMP_SYS(migrate_pages),
    SCMP_SYS(move_pages),
    SCMP_SYS(kcmp),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    // new connections; one that is there, to the display, goes on
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    // ways around this filter, and parts of the kernel that a viewer has no business with
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(personality),
    // what administrators do
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    k_open_tree_attr,
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(syslog),
    SCMP_SYS(vhangup),
    SCMP_SYS(setuid),
    SCMP_SYS(setgid),
    SCMP_SYS(setreuid),
    SCMP_SYS(setregid),
    SCMP_SYS(setresuid),
    SCMP_SYS(setresgid),
    SCMP_SYS(setgroups),
    SCMP_SYS(setfsuid),
    SCMP_SYS(setfsgid),
    SCMP_SYS(capset),
    // memory and queues that any program of the user's may share
    SCMP_SYS(shmget),
    SCMP_SYS(shmat),
    SCMP_SYS(shmdt),
    SCMP_SYS(shmctl),
    SCMP_SYS(msgget),
    SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv),
    SCMP_SYS(msgctl),
    SCMP_SYS(semget),
    SCMP_SYS(semop),
    SCMP_SYS(semtimedop),
    SCMP_SYS(semctl),
    SCMP_SYS(mq_open),
    SCMP_SYS(mq_unlink),
    // changes of files that not even an export makes
    SCMP_SYS(truncate),
    SCMP_SYS(linkat),
    SCMP_SYS(symlinkat),
    SCMP_SYS(mknodat),
    SCMP_SYS(fchmodat),
    k_fchmodat2,
    SCMP_SYS(fchownat),
    SCMP_SYS(utimensat),
    SCMP_SYS(setxattr),
    SCMP_SYS(lsetxattr),
    SCMP_SYS(fsetxattr),
    k_setxattrat,
    SCMP_SYS(removexattr),
    SCMP_SYS(lremovexattr),
    SCMP_SYS(fremovexattr),
    k_removexattrat,
    k_file_setattr,
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(uselib),
    SCMP_SYS(ustat),
    SCMP_SYS(link),
    SCMP_SYS(symlink),
    SCMP_SYS(mknod),
    SCMP_SYS(chmod),
    SCMP_SYS(chown),
    SCMP_SYS(lchown),
    SCMP_SYS(utime),
    SCMP_SYS(utimes),
    SCMP_SYS(futimesat),
};

constexpr int k_refused_without_output[] = {
    SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink), SCMP_SYS(unlinkat),
    SCMP_SYS(rmdir),  SCMP_SYS(creat),    SCMP_SYS(fchmod),    SCMP_SYS(fchown),
};

constexpr int k_refused_to_readers[] = {SCMP_SYS(mkdir), SCMP_SYS(mkdirat)};

// glibc takes the older call where these are not there; their arguments lie in memory, where a filter does not see them.
constexpr int k_not_there[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};

/// What the kernel runs at each system call.
using FilterCode = std::vector<sock_filter>;

/// What the calls are looked at for, as libseccomp has it: a rule answers where all it asks of the arguments is true; what
/// no rule answers is allowed. Calls that a processor does not have are left out.
class CallRules {
public:
    CallRules() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
        if (context_ == nullptr) {
            error_ = ENOMEM;
            return;
        }
        seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
        constexpr unsigned k_as_tree = 2;
        seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, k_as_tree);
    }

    template <typename Calls>
    void refuse(const Calls& calls) {
        for (const int call : calls) add(SCMP_ACT_ERRNO(EPERM), call, {});
    }
    void hide(int call) { add(SCMP_ACT_ERRNO(ENOSYS), call, {}); }

    /// Refused where an argument is this, by its lower half: what the kernel does not look at must not change the answer.
    void refuse_value(int call, unsigned argument, std::uint64_t value) { refuse_bits(call, argument, k_lower_half, value); }
    /// Refused where an argument is anything but this, by all of it.
    void refuse_all_but(int call, unsigned argument, std::uint64_t value) {
        add(SCMP_ACT_ERRNO(EPERM), call, {{argument, SCMP_CMP_NE, value, 0}});
    }
    /// Refused where the bits of an argument under a mask are these.
    void refuse_bits(int call, unsigned argument, std::uint64_t mask, std::uint64_t bits) {
        add(SCMP_ACT_ERRNO(EPERM), call, {{argument, SCMP_CMP_MASKED_EQ, mask, bits}});
    }

    /// Gives 0 or an errno.
    int compile(FilterCode& code) {
        // A pipe, as no limit on the size of files holds for it; the longest filter there can be has room in one.
        int ends[2] = {-1, -1};
        if (error_ == 0 && ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) error_ = errno;
        const FileHandle reader(ends[0]), writer(ends[1]);
        if (error_ == 0) error_ = -seccomp_export_bpf(context_.get(), descriptor_of(writer));
        if (error_ != 0) return error_;
        code.resize(BPF_MAXINSNS);
        const ssize_t bytes = ::read(descriptor_of(reader), code.data(), code.size() * sizeof(sock_filter));
        if (bytes <= 0) return EIO;
        code.resize(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
        return 0;
    }

private:
    void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments) {
        if (error_ != 0) return;
        error_ = -seccomp_rule_add_array(context_.get(), action, call, static_cast<unsigned>(arguments.size()),
                                         arguments.size() == 0 ? nullptr : arguments.begin());
    }

    std::unique_ptr<void, decltype(&seccomp_release)> context_;
    int error_ = 0;
};

/// Whether a file may be opened with these flags where none is to be changed: for reading, without a name, and as a new one.
bool only_reads(int flags, bool or_makes_files) {
    if ((flags & O_TMPFILE) == O_TMPFILE) return true;
    if (or_makes_files && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return true;
    return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY;
}

/// Every way to set the flags that matter is either allowed or refused.
void refuse_to_write(CallRules& rules, int call, unsigned argument, bool or_makes_files) {
    constexpr std::array k_flags = {O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY};
    int mask = 0;
    for (const int flag : k_flags) mask |= flag;
    for (unsigned set = 0; set < 1U << k_flags.size(); ++set) {
        int flags = 0;
        for (unsigned rest = set; rest != 0; rest &= rest - 1)
            flags |= k_flags[static_cast<std::size_t>(std::countr_zero(rest))];
        if (!only_reads(flags, or_makes_files))
            rules.refuse_bits(call, argument, static_cast<unsigned>(mask), static_cast<unsigned>(flags));
    }
}

/// What may be done to this process alone, or to this thread.
void refuse_hands_on_others(CallRules& rules) {
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)})
        rules.refuse_all_but(call, 0, static_cast<std::uint64_t>(::getpid()));
    for (const int call : {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
                           SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr), SCMP_SYS(get_robust_list)})
        rules.refuse_all_but(call, 0, 0);
    constexpr std::uint64_t k_ioprio_process = 1;  // IOPRIO_WHO_PROCESS, which is in no header for programs
    for (const auto& [call, process] : {std::pair(SCMP_SYS(setpriority), std::uint64_t{PRIO_PROCESS}),
                                        std::pair(SCMP_SYS(ioprio_set), k_ioprio_process)}) {
        rules.refuse_all_but(call, 0, process);
        rules.refuse_all_but(call, 1, 0);
    }
    // A descriptor sends its owner signals, whoever that is and whoever named it; who holds a lease keeps others waiting.
    for (const int command : {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY})
        rules.refuse_value(SCMP_SYS(fcntl), 1, static_cast<std::uint64_t>(command));
    for (const int command : {FIOSETOWN, SIOCSPGRP, TIOCSPGRP, TIOCSCTTY, TIOCSTI, TIOCLINUX})
        rules.refuse_value(SCMP_SYS(ioctl), 1, static_cast<std::uint64_t>(command));
}

/// Gives 0 or an errno.
int compile(FileChanges changes, NewCode new_code, FilterCode& code) {
    CallRules rules;
    rules.refuse(k_refused);
    for (const int call : k_not_there) rules.hide(call);
    for (int call = k_newest_known + 1; call <= k_newest_refused; ++call) rules.hide(call);
    rules.refuse_bits(SCMP_SYS(clone), 0, CLONE_THREAD, 0);
    refuse_hands_on_others(rules);
    if (new_code == NewCode::refused) {
        for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(pkey_mprotect)})
            rules.refuse_bits(call, 2, PROT_EXEC, PROT_EXEC);
    }
    if (changes != FileChanges::any) {
        rules.refuse(k_refused_without_output);
        if (changes == FileChanges::none) rules.refuse(k_refused_to_readers);
        refuse_to_write(rules, SCMP_SYS(openat), 2, changes == FileChanges::new_files);
        refuse_to_write(rules, SCMP_SYS(open), 1, changes == FileChanges::new_files);
    }
    return rules.compile(code);
}

/// The same, made once a process, which takes milliseconds: the window enters the sandbox all the time. Any thread.
int code_of_filter(FileChanges changes, NewCode new_code, FilterCode& code) {
    static std::mutex mutex;
    static pid_t process = 0;
    static std::map<std::pair<FileChanges, NewCode>, FilterCode> made;
    const std::lock_guard lock(mutex);
    // They name the process, and this may be a child of the one that made them.
    if (std::exchange(process, ::getpid()) != ::getpid()) made.clear();
    FilterCode& kept = made[{changes, new_code}];
    const int error = kept.empty() ? compile(changes, new_code, kept) : 0;
    if (error != 0) kept.clear();
    code = kept;
    return error;
}

}  // namespace

int filter_system_calls(FileChanges changes, NewCode new_code) {
    if (!k_knows_processor) return ENOSYS;
    FilterCode code;
    if (const int error = code_of_filter(changes, new_code, code); error != 0) return error;
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
}

}  // namespace snapviewer
