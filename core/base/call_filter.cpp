#include "core/base/call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace snapviewer {
namespace {

#if defined(__x86_64__) && !defined(__ILP32__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t k_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t k_architecture = 0;
#endif

// Named as the kernel does: the SYS_ names are as old as the C library. Both processors number calls alike from 424 on;
// older headers do not name these.
constexpr int k_fchmodat2 = 452;
constexpr int k_setxattrat = 463;
constexpr int k_removexattrat = 466;
constexpr int k_open_tree_attr = 467;
constexpr int k_file_setattr = 469;
constexpr int k_newest_known = k_file_setattr;
constexpr std::uint32_t k_first_of_x32 = 0x40000000;

constexpr int k_refused[] = {
    // other programs, and a hand on other processes
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_process_madvise,
    __NR_kcmp,
    __NR_pidfd_open,
    __NR_pidfd_getfd,
    __NR_pidfd_send_signal,
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    // new connections; one that is there, to the display, goes on
    __NR_socket,
    __NR_connect,
    __NR_bind,
    __NR_listen,
    __NR_accept,
    __NR_accept4,
    // ways around this filter, and parts of the kernel that a viewer has no business with
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_open_by_handle_at,
    __NR_fanotify_init,
    __NR_personality,
    // what administrators do
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_open_tree,
    __NR_move_mount,
    __NR_fsopen,
    __NR_fsconfig,
    __NR_fsmount,
    __NR_fspick,
    __NR_mount_setattr,
    k_open_tree_attr,
    __NR_unshare,
    __NR_setns,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
    __NR_acct,
    __NR_quotactl,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_clock_adjtime,
    __NR_adjtimex,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_syslog,
    __NR_vhangup,
    __NR_setuid,
    __NR_setgid,
    __NR_setreuid,
    __NR_setregid,
    __NR_setresuid,
    __NR_setresgid,
    __NR_setgroups,
    __NR_setfsuid,
    __NR_setfsgid,
    __NR_capset,
    // changes of files that not even an export makes
    __NR_truncate,
    __NR_linkat,
    __NR_symlinkat,
    __NR_mknodat,
    __NR_fchmodat,
    k_fchmodat2,
    __NR_fchownat,
    __NR_utimensat,
    __NR_setxattr,
    __NR_lsetxattr,
    __NR_fsetxattr,
    k_setxattrat,
    __NR_removexattr,
    __NR_lremovexattr,
    __NR_fremovexattr,
    k_removexattrat,
    k_file_setattr,
#if defined(__x86_64__)
    __NR_fork,
    __NR_vfork,
    __NR_kexec_file_load,
    __NR_iopl,
    __NR_ioperm,
    __NR_modify_ldt,
    __NR_uselib,
    __NR_ustat,
    __NR_link,
    __NR_symlink,
    __NR_mknod,
    __NR_chmod,
    __NR_chown,
    __NR_lchown,
    __NR_utime,
    __NR_utimes,
    __NR_futimesat,
#endif
};

constexpr int k_refused_without_output[] = {
    __NR_renameat2, __NR_fchmod, __NR_fchown,
#if defined(__x86_64__)
    __NR_rename,    __NR_rmdir,  __NR_creat,
#endif
#if defined(__NR_renameat)
    __NR_renameat,
#endif
};

constexpr int k_refused_to_readers[] = {
    __NR_mkdirat,
    __NR_unlinkat,
#if defined(__x86_64__)
    __NR_mkdir,
    __NR_unlink,
#endif
};

// glibc takes the older call where these are not there; their arguments lie in memory, where a filter does not see them.
constexpr int k_not_there[] = {__NR_clone3, __NR_openat2};

/// A program for the kernel that looks at one system call: instruction by instruction, from the top to the first answer.
class FilterProgram {
public:
    FilterProgram() {
        load(offsetof(seccomp_data, arch));
        unless(BPF_JEQ, k_architecture, SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
        when(BPF_JGE, k_first_of_x32, k_missing);
        when(BPF_JGT, k_newest_known, k_missing);
    }

    template <std::size_t size>
    void refuse(const int (&calls)[size]) {
        for (const int call : calls) when(BPF_JEQ, static_cast<std::uint32_t>(call), k_denied);
    }
    template <std::size_t size>
    void hide(const int (&calls)[size]) {
        for (const int call : calls) when(BPF_JEQ, static_cast<std::uint32_t>(call), k_missing);
    }
    /// Allowed only if the lower half of an argument has one of these bits.
    void only_with_bits(int call, int argument, std::uint32_t bits) {
        begin(call, argument, 3);
        when(BPF_JSET, bits, SECCOMP_RET_ALLOW);
        answer(k_denied);
    }
    void refuse_with_bits(int call, int argument, std::uint32_t bits) {
        begin(call, argument, 3);
        when(BPF_JSET, bits, k_denied);
        answer(SECCOMP_RET_ALLOW);
    }
    void only_with_value(int call, int argument, std::uint32_t value) {
        begin(call, argument, 3);
        when(BPF_JEQ, value, SECCOMP_RET_ALLOW);
        answer(k_denied);
    }
    void refuse_with_values(int call, int argument, std::uint32_t one, std::uint32_t other) {
        begin(call, argument, 5);
        when(BPF_JEQ, one, k_denied);
        when(BPF_JEQ, other, k_denied);
        answer(SECCOMP_RET_ALLOW);
    }
    /// Reading, files without a name and, if so, new files: what `flags` of a call that opens say.
    void only_reading(int call, int argument, bool and_new_files) {
        begin(call, argument, and_new_files ? 13 : 9);
        mask_equals(O_TMPFILE, O_TMPFILE);
        if (and_new_files) mask_equals(O_CREAT | O_EXCL, O_CREAT | O_EXCL);
        mask_equals(O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY);
        answer(k_denied);
    }

    /// 0 or an errno.
    int install() {
        answer(SECCOMP_RET_ALLOW);
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        return ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
    }

private:
    static constexpr std::uint32_t k_denied = SECCOMP_RET_ERRNO | EPERM;
    static constexpr std::uint32_t k_missing = SECCOMP_RET_ERRNO | ENOSYS;

    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void answer(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
    void when(int condition, std::uint32_t value, std::uint32_t action) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | condition), value, 0, 1));
        answer(action);
    }
    void unless(int condition, std::uint32_t value, std::uint32_t action) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | condition), value, 1, 0));
        answer(action);
    }
    /// What follows is `length` instructions about one argument of `call`, which end in an answer; other calls skip them.
    /// Nothing needs the upper half of an argument: the kernel takes these as 32 bits, too.
    void begin(int call, int argument, std::uint8_t length) {
        code_.push_back(
            BPF_JUMP(BPF_JMP | BPF_K | BPF_JEQ, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(length + 1)));
        load(offsetof(seccomp_data, args) + static_cast<std::size_t>(argument) * sizeof(std::uint64_t));
        argument_ = argument;
    }
    /// Allows what has `value` under `mask`. Four instructions, after which the argument is there again.
    void mask_equals(std::uint32_t mask, std::uint32_t value) {
        code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
        when(BPF_JEQ, value, SECCOMP_RET_ALLOW);
        load(offsetof(seccomp_data, args) + static_cast<std::size_t>(argument_) * sizeof(std::uint64_t));
    }

    std::vector<sock_filter> code_;
    int argument_ = 0;
};

}  // namespace

int filter_system_calls(FileChanges changes, NewCode new_code) {
    if (k_architecture == 0) return ENOSYS;
    FilterProgram program;
    program.refuse(k_refused);
    program.hide(k_not_there);
    program.only_with_bits(__NR_clone, 0, CLONE_THREAD);
    for (const int call : {__NR_kill, __NR_tgkill}) program.only_with_value(call, 0, static_cast<std::uint32_t>(::getpid()));
    program.refuse_with_values(__NR_ioctl, 1, TIOCSTI, TIOCLINUX);
    if (new_code == NewCode::refused) {
        for (const int call : {__NR_mmap, __NR_mprotect, __NR_pkey_mprotect}) program.refuse_with_bits(call, 2, PROT_EXEC);
    }
    if (changes != FileChanges::any) {
        program.refuse(k_refused_without_output);
        if (changes == FileChanges::none) program.refuse(k_refused_to_readers);
        program.only_reading(__NR_openat, 2, changes == FileChanges::new_files);
#if defined(__x86_64__)
        program.only_reading(__NR_open, 1, changes == FileChanges::new_files);
#endif
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return program.install();
}

}  // namespace snapviewer
