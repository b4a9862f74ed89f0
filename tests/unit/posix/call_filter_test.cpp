#include "core/system/linux/call_filter.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

/// Runs the filters on every system call without making the call, with an interpreter of the kernel's filter programs.
namespace snapviewer {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t k_processor = AUDIT_ARCH_X86_64;
constexpr bool k_has_table = true;
#else
constexpr std::uint32_t k_processor = AUDIT_ARCH_AARCH64;
constexpr bool k_has_table = false;  // call numbers differ
#endif

constexpr int k_call_count = 600;
/// The last call that libseccomp of Debian 12 knows by name; later versions know more.
constexpr int k_newest_named = 450;

using Arguments = std::array<std::uint64_t, 6>;

std::uint32_t word_at(const seccomp_data& data, std::uint32_t offset) {
    std::uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&data) + offset, sizeof word);
    return word;
}

/// Returns the action that the kernel would take. Throws for an instruction that no filter here uses.
std::uint32_t run(const std::vector<sock_filter>& program, const seccomp_data& data) {
    std::uint32_t accumulator = 0;
    for (std::size_t at = 0; at < program.size(); ++at) {
        const sock_filter& step = program[at];
        const auto jump = [&](bool is_true) { at += is_true ? step.jt : step.jf; };
        switch (step.code) {
            case BPF_LD | BPF_W | BPF_ABS: accumulator = word_at(data, step.k); break;
            case BPF_ALU | BPF_AND | BPF_K: accumulator &= step.k; break;
            case BPF_JMP | BPF_JEQ | BPF_K: jump(accumulator == step.k); break;
            case BPF_JMP | BPF_JGT | BPF_K: jump(accumulator > step.k); break;
            case BPF_JMP | BPF_JGE | BPF_K: jump(accumulator >= step.k); break;
            case BPF_JMP | BPF_JSET | BPF_K: jump((accumulator & step.k) != 0); break;
            case BPF_JMP | BPF_JA: at += step.k; break;
            case BPF_RET | BPF_K: return step.k;
            default: throw std::runtime_error(fmt::format("instruction {:#x}", step.code));
        }
    }
    throw std::runtime_error("the program does not end");
}

/// A compiled filter that can be evaluated for any call.
class Filter {
public:
    explicit Filter(FileChanges changes, NewCode new_code = NewCode::refused, CallRefusal refusal = CallRefusal::error) {
        EXPECT_EQ(compile_call_filter(changes, new_code, refusal, program_), 0);
    }

    /// 0 if the call is allowed, else the errno with which it fails; SIGSYS if the refusal is reported.
    int outcome(long call, const Arguments& arguments = {}) const {
        seccomp_data data{};
        data.nr = static_cast<int>(call);
        data.arch = k_processor;
        std::ranges::copy(arguments, data.args);
        const std::uint32_t action = run(program_, data);
        switch (action & SECCOMP_RET_ACTION_FULL) {
            case SECCOMP_RET_ALLOW: return 0;
            case SECCOMP_RET_TRAP: return SIGSYS;
            case SECCOMP_RET_ERRNO: return static_cast<int>(action & SECCOMP_RET_DATA);
            default: return -1;
        }
    }
    bool allows(long call, const Arguments& arguments = {}) const { return outcome(call, arguments) == 0; }

private:
    std::vector<sock_filter> program_;
};

struct Kind {
    const char* name;
    Filter filter;
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {{"reads", Filter(FileChanges::none)},
                                          {"reads, reports", Filter(FileChanges::new_files)},
                                          {"writes", Filter(FileChanges::any)},
                                          {"draws", Filter(FileChanges::any, NewCode::allowed)}};
    return all;
}

/// Describes the outcomes for arguments that distinguish the filters: none, all bits, and each operation that a filter
/// checks.
std::string outcome_text(const Filter& filter, int call) {
    const auto word = [](int outcome) {
        return outcome == 0 ? "yes" : outcome == EPERM ? "no" : outcome == ENOSYS ? "absent" : "killed";
    };
    Arguments all_bits;
    all_bits.fill(~std::uint64_t{0});
    std::set<std::string> seen = {word(filter.outcome(call)), word(filter.outcome(call, all_bits))};
    for (unsigned argument = 0; argument < 5; ++argument) {
        for (std::uint64_t value = 1; value < 70; ++value) {
            Arguments arguments{};
            arguments[argument] = value;
            seen.insert(word(filter.outcome(call, arguments)));
        }
    }
    return seen.size() == 1 ? *seen.begin() : "depends";
}

std::string table_of_calls() {
    std::string text =
        fmt::format("{:>3}  {:<26}{:<9}{:<16}{:<9}{}\n", "", "call", "reads", "reads, reports", "writes", "draws");
    for (int call = 0; call < k_call_count; ++call) {
        const std::unique_ptr<char, decltype(&std::free)> name(
            call <= k_newest_named ? seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call) : nullptr, std::free);
        std::vector<std::string> outcomes;
        for (const Kind& kind : kinds()) outcomes.push_back(outcome_text(kind.filter, call));
        text += fmt::format("{:>3}  {:<26}{:<9}{:<16}{:<9}{}\n", call, name ? name.get() : "", outcomes[0], outcomes[1],
                            outcomes[2], outcomes[3]);
    }
    return text;
}

TEST(CallFilter, AnswersEveryCallAsInTheReviewedTable) {
    if (!k_has_table) GTEST_SKIP() << "the table has the numbers of x86-64";
    const std::string path = std::string(SNAPVIEWER_SOURCE_DIR) + "/tests/unit/posix/call_filter_table.txt";
    const std::string now = table_of_calls();
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(path) << now;
    std::ostringstream reviewed;
    reviewed << std::ifstream(path).rdbuf();
    EXPECT_EQ(now, reviewed.str()) << "review the difference; SNAPVIEWER_WRITE_DOCS=1 writes the table anew";
}

TEST(CallFilter, TheOnlyDifferenceOfAReportIsHowACallIsRefused) {
    const Filter quiet(FileChanges::new_files);
    const Filter reported(FileChanges::new_files, NewCode::refused, CallRefusal::reported);
    for (int call = 0; call < k_call_count; ++call) {
        const bool is_silent = call == SYS_kill || call == SYS_tgkill;
        const int expected = quiet.outcome(call) == EPERM && !is_silent ? SIGSYS : quiet.outcome(call);
        EXPECT_EQ(reported.outcome(call), expected) << call;
    }
}

TEST(CallFilter, EveryWayToOpenAFile) {
    constexpr std::array k_flags = {O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY,
                                    O_APPEND};
    const auto is_harmless = [](int flags, bool new_files) {
        if ((flags & O_TMPFILE) == O_TMPFILE) return true;
        if (new_files && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return true;
        return (flags & O_ACCMODE) == O_RDONLY && (flags & (O_CREAT | O_TRUNC)) == 0;
    };
    for (const FileChanges changes : {FileChanges::none, FileChanges::new_files, FileChanges::any}) {
        const Filter filter(changes);
        for (int set = 0; set < 1 << k_flags.size(); ++set) {
            int flags = 0;
            for (std::size_t i = 0; i < k_flags.size(); ++i) flags |= (set >> i & 1) != 0 ? k_flags[i] : 0;
            const bool expected = changes == FileChanges::any || is_harmless(flags, changes == FileChanges::new_files);
            EXPECT_EQ(filter.allows(SYS_openat, {0, 0, static_cast<std::uint64_t>(flags)}), expected) << flags;
#if defined(SYS_open)
            EXPECT_EQ(filter.allows(SYS_open, {0, static_cast<std::uint64_t>(flags)}), expected) << flags;
#endif
        }
    }
}

/// Values below `count` of one argument for which the filter's answer is `is_allowed`. Also checks that the upper half,
/// which the kernel ignores for these arguments, does not change the answer.
std::set<std::uint64_t> answered(const Filter& filter, long call, unsigned argument, std::uint64_t count, bool is_allowed) {
    std::set<std::uint64_t> found;
    for (std::uint64_t value = 0; value < count; ++value) {
        Arguments arguments{};
        arguments[argument] = value;
        if (filter.allows(call, arguments) == is_allowed) found.insert(value);
        arguments[argument] |= std::uint64_t{0x7FFF'0000} << 32;
        EXPECT_EQ(filter.allows(call, arguments),
                  filter.outcome(call, {arguments[0] & 0xFFFF'FFFF, arguments[1] & 0xFFFF'FFFF}) == 0)
            << value;
    }
    return found;
}

TEST(CallFilter, EveryOperationOnADescriptor) {
    constexpr std::uint64_t k_operations = 1100;
    const std::set<std::uint64_t> readers = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,      F_SETFD,     F_GETFL,
                                             F_SETFL, F_GETPIPE_SZ,    F_SETPIPE_SZ, F_GET_SEALS, F_ADD_SEALS};
    const std::set<std::uint64_t> refused = {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE,  F_NOTIFY,
                                             F_SETLK,  F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
    EXPECT_EQ(answered(Filter(FileChanges::new_files), SYS_fcntl, 1, k_operations, true), readers);
    EXPECT_EQ(answered(Filter(FileChanges::any), SYS_fcntl, 1, k_operations, false), refused);
    EXPECT_EQ(answered(Filter(FileChanges::any, NewCode::allowed), SYS_fcntl, 1, k_operations, false), refused);
}

TEST(CallFilter, EveryOperationOnADevice) {
    constexpr std::uint64_t k_operations = 0x10000;
    const std::set<std::uint64_t> refused = {FIOSETOWN, SIOCSPGRP,  TIOCSPGRP, TIOCSTI,  TIOCLINUX,
                                             TIOCSCTTY, TIOCSWINSZ, TIOCEXCL,  TIOCSETD, TCSETS,
                                             TCSETSW,   TCSETSF,    TCSETA,    TCSETAW,  TCSETAF};
    EXPECT_EQ(answered(Filter(FileChanges::new_files), SYS_ioctl, 1, k_operations, true),
              (std::set<std::uint64_t>{TCGETS, TIOCGWINSZ, FIONREAD}));
    EXPECT_EQ(answered(Filter(FileChanges::any, NewCode::allowed), SYS_ioctl, 1, k_operations, false), refused);
    constexpr std::uint64_t k_get_terminal = 0x802C542A;  // TCGETS2, which isatty() of newer C libraries uses
    for (const Kind& kind : kinds()) {
        EXPECT_TRUE(kind.filter.allows(SYS_ioctl, {0, k_get_terminal})) << kind.name;
        for (const unsigned long operation : std::initializer_list<unsigned long>{
                 FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_SETVERSION, FS_IOC32_SETVERSION, FS_IOC_FSSETXATTR,
                 FS_IOC_ENABLE_VERITY, FIFREEZE, FITHAW, FITRIM, 0x402C542BUL, 0x402C542CUL, 0x402C542DUL})
            EXPECT_FALSE(kind.filter.allows(SYS_ioctl, {0, operation})) << kind.name << ' ' << operation;
    }
}

TEST(CallFilter, CodeProcessesAndSends) {
    const auto own = static_cast<std::uint64_t>(::getpid());
    for (const Kind& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        EXPECT_FALSE(kind.filter.allows(SYS_clone, {SIGCHLD}));
        EXPECT_TRUE(kind.filter.allows(SYS_clone, {CLONE_THREAD | CLONE_VM | CLONE_SIGHAND}));
        for (const long call : {long{SYS_kill}, long{SYS_tgkill}}) {
            EXPECT_TRUE(kind.filter.allows(call, {own}));
            EXPECT_FALSE(kind.filter.allows(call, {own + 1}));
            EXPECT_FALSE(kind.filter.allows(call, {~std::uint64_t{0}}));
        }
        EXPECT_FALSE(kind.filter.allows(SYS_sendto, {0, 0, 0, 0, 1}));
        const bool makes_code = &kind == &kinds().back();
        for (const long call : {long{SYS_mmap}, long{SYS_mprotect}}) {
            EXPECT_TRUE(kind.filter.allows(call, {0, 0, PROT_READ | PROT_WRITE}));
            EXPECT_EQ(kind.filter.allows(call, {0, 0, PROT_READ | PROT_EXEC}), makes_code);
        }
    }
}

}  // namespace
}  // namespace snapviewer
