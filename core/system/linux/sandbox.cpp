#include "core/system/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/system/files.h"
#include "core/system/linux/call_filter.h"
#include "core/system/posix/files.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

// Constants of Landlock that older headers do not define.
constexpr std::uint64_t k_truncate = 1ULL << 14;         // LANDLOCK_ACCESS_FS_TRUNCATE
constexpr std::uint64_t k_control_devices = 1ULL << 15;  // LANDLOCK_ACCESS_FS_IOCTL_DEV
constexpr std::uint64_t k_all_network = 3;               // LANDLOCK_ACCESS_NET_BIND_TCP, _CONNECT_TCP
constexpr std::uint64_t k_all_scopes = 3;                // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET, _SIGNAL
constexpr int k_network_version = 4;
constexpr int k_scopes_version = 6;

/// landlock_ruleset_attr as of version 6. Older kernels accept it if the fields that they do not know are 0.
struct RulesetAttributes {
    std::uint64_t handled_files;
    std::uint64_t handled_network;
    std::uint64_t scoped;
};

constexpr std::uint64_t k_make_temporary = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | k_truncate;
constexpr std::uint64_t k_make_output =
    k_make_temporary | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;
constexpr std::uint64_t k_make_report = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t k_make_report_folder = k_make_report | LANDLOCK_ACCESS_FS_MAKE_DIR;

/// Every right to files, other than reading, that this version of Landlock can refuse.
std::uint64_t refusable_rights(long version) {
    std::uint64_t rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                           LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                           (k_make_output & ~k_truncate);
    if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) rights |= k_truncate;
    if (version >= 5) rights |= k_control_devices;
    return rights;
}

/// The paths that may be changed. Landlock refuses all other changes, TCP, abstract sockets and signals to other processes.
class PathRules {
public:
    /// Creates an empty set of rules. is_open() is false if the kernel has no Landlock; errno says why.
    PathRules() {
        const long version = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
        if (version < 1) return;
        handled_ = refusable_rights(version);
        const RulesetAttributes attributes{handled_, version >= k_network_version ? k_all_network : 0,
                                           version >= k_scopes_version ? k_all_scopes : 0};
        rules_ = FileHandle(::syscall(__NR_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    }
    bool is_open() const { return rules_.is_open(); }

    /// Allows changes to one file, or in and below a folder. Does nothing if `path` does not exist.
    void allow(const std::string& path, std::uint64_t rights) {
        const FileHandle place(path.empty() ? -1 : ::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!place.is_open()) return;
        landlock_path_beneath_attr rule{};
        rule.allowed_access = rights & handled_;
        rule.parent_fd = descriptor_of(place);
        ::syscall(__NR_landlock_add_rule, descriptor_of(rules_), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }

    bool enforce() {
        return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               ::syscall(__NR_landlock_restrict_self, descriptor_of(rules_), 0) == 0;
    }

private:
    FileHandle rules_;
    std::uint64_t handled_ = 0;
};

/// The output path itself if it is an existing folder, otherwise the folder that will contain it.
std::string folder_of_output(const std::string& path) {
    std::error_code failed;
    return fs::is_directory(path, failed) ? path : folder_of(without_separator(path));
}

/// Allows writing to the devices that graphics drivers use; never to disks.
void allow_graphics(PathRules& rules) {
    constexpr std::array k_beginnings = {"dri", "nvidia", "nvhost", "nvmap", "kfd", "mali", "dxg", "udmabuf", "dma_heap"};
    rules.allow("/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    std::error_code failed;
    for (fs::directory_iterator it("/dev", failed), end; !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (std::ranges::any_of(k_beginnings, [&](const char* beginning) { return name.starts_with(beginning); }))
            rules.allow(it->path().string(), LANDLOCK_ACCESS_FS_WRITE_FILE | k_control_devices);
    }
}

/// Allows creating crash reports. A rule needs an existing folder, and the report folder is created only with the first
/// report. Until then the rule is for its parent, the user's folder for program state, but never for a folder above that,
/// such as the home folder.
void allow_reports(PathRules& rules, const std::string& folder) {
    std::error_code failed;
    if (fs::is_directory(folder, failed))
        rules.allow(folder, k_make_report);
    else if (!folder.empty())
        rules.allow(folder_of_output(folder), k_make_report_folder);
}

/// Applies Landlock to the calling thread. Returns 0 or an errno.
int guard_files(const SandboxNeeds& needs) {
    PathRules rules;
    if (!rules.is_open()) return errno;
    std::error_code failed;
    rules.allow(fs::temp_directory_path(failed).string(), k_make_temporary);
    allow_reports(rules, needs.report_folder);
    for (const std::string& output : needs.outputs) {
        if (!output.empty()) rules.allow(folder_of_output(output), k_make_output);
    }
    if (needs.draws) allow_graphics(rules);
    return rules.enforce() ? 0 : errno;
}

/// Gives up the rights of root except those to read and write files of other users: in containers, files and folders often
/// belong to another user than root, and Landlock limits what can be written. No effect for other users.
void drop_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
    constexpr std::uint32_t k_kept = 1U << CAP_DAC_READ_SEARCH | 1U << CAP_DAC_OVERRIDE;
    bool has_more = false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const std::uint32_t mask = i == 0 ? k_kept : 0;
        has_more = has_more || ((sets[i].permitted | sets[i].inheritable) & ~mask) != 0;
        sets[i] = {sets[i].effective & mask, sets[i].permitted & mask, sets[i].inheritable & mask};
    }
    // A thread that is already in a sandbox has no other capabilities, and its filter refuses the call.
    if (has_more) ::syscall(SYS_capset, &header, sets.data());
}

std::atomic<bool> g_reports_refusals{false};
std::atomic<bool> g_has_reported{false};
static_assert(std::atomic<bool>::is_always_lock_free);

/// Makes the refused call fail with EPERM. Runs as a signal handler.
void report_refused_call(int, siginfo_t* info, void* context) {
    if (info->si_syscall == -1) return;  // a debugger has skipped the call and sets the result itself
    mcontext_t& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    registers.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    registers.regs[0] = static_cast<unsigned long long>(-EPERM);
#endif
    if (g_has_reported.exchange(true)) return;
    std::array<char, 120> text{};
    const auto end =
        fmt::format_to_n(text.data(), text.size(),
                         "snapviewer: note: the sandbox refused system call {}; please report this\n", info->si_syscall);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), end.size);
}

/// A text that says which protection is missing, and why.
std::string explained(const char* means, int code) {
    const char* reason = std::strerror(code);
    if (code == EMFILE || code == ENFILE) return fmt::format("the {} could not be set up ({})", means, reason);
    return fmt::format("this kernel has no {} ({})", means, reason);
}

}  // namespace

void report_refused_calls() {
    struct sigaction action {};
    action.sa_sigaction = report_refused_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    if (::sigaction(SIGSYS, &action, nullptr) == 0) g_reports_refusals = true;
}

Sandbox enter_sandbox(const SandboxNeeds& needs) {
    const int no_guard = guard_files(needs);
    FileChanges changes = no_guard == 0 ? FileChanges::new_files : FileChanges::none;
    const bool has_output = std::ranges::any_of(needs.outputs, [](const std::string& path) { return !path.empty(); });
    if (has_output || needs.draws) changes = FileChanges::any;
    const CallRefusal refusal = g_reports_refusals ? CallRefusal::reported : CallRefusal::error;
    drop_capabilities();
    const int no_filter = filter_system_calls(changes, needs.draws ? NewCode::allowed : NewCode::refused, refusal);
    Sandbox sandbox{no_filter == 0, no_guard == 0, ""};
    sandbox.was_refused = !sandbox.is_whole();
    for (const auto& [means, code] : {std::pair("Landlock", no_guard), std::pair("system call filter", no_filter)}) {
        if (code == 0) continue;
        sandbox.why_not += (sandbox.why_not.empty() ? "" : ", ") + explained(means, code);
    }
    return sandbox;
}

}  // namespace snapviewer
