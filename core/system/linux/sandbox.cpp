#include "core/system/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/system/linux/call_filter.h"
#include "core/system/paths.h"
#include "core/system/posix/calls.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t k_truncate = 1ULL << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE, which older headers do not name
constexpr std::uint64_t k_make_temporary = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | k_truncate;
constexpr std::uint64_t k_make_output =
    k_make_temporary | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;
constexpr std::uint64_t k_make_report = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t k_make_report_folder = k_make_report | LANDLOCK_ACCESS_FS_MAKE_DIR;

/// All that can be refused but reading, which every version of Landlock knows more of.
std::uint64_t refusable(long version) {
    std::uint64_t rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                           LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                           (k_make_output & ~k_truncate);
    if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) rights |= k_truncate;
    return rights;
}

/// Which paths may be changed; refuses everything else of what it handles.
class PathRules {
public:
    /// Not open where the kernel has no Landlock; errno says why.
    PathRules() {
        const long version = ::syscall(__NR_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
        if (version < 1) return;
        handled_ = refusable(version);
        landlock_ruleset_attr attributes{};
        attributes.handled_access_fs = handled_;
        rules_ = FileHandle(::syscall(__NR_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    }
    bool is_open() const { return rules_.is_open(); }

    /// In and below a folder, or to one file. What is not there is left out: using it is going to fail in any case.
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

/// The output itself if it is a folder that is there, else the one it is to be in.
std::string folder_of_output(const std::string& path) {
    std::error_code failed;
    return fs::is_directory(path, failed) ? path : folder_of(without_separator(path));
}

/// Devices that drivers write to; never disks.
void allow_graphics(PathRules& rules) {
    constexpr std::array k_beginnings = {"dri", "nvidia", "nvhost", "nvmap", "kfd", "mali", "dxg", "udmabuf", "dma_heap"};
    rules.allow("/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE);
    std::error_code failed;
    for (fs::directory_iterator it("/dev", failed), end; !failed && it != end; it.increment(failed)) {
        const std::string name = it->path().filename().string();
        if (std::ranges::any_of(k_beginnings, [&](const char* beginning) { return name.starts_with(beginning); }))
            rules.allow(it->path().string(), LANDLOCK_ACCESS_FS_WRITE_FILE);
    }
}

/// A rule holds for a place that is there, and nothing is to be made before there is something to report. The folder above
/// is the one for the state of programs; what is above that one, the user's home, is never opened up.
void allow_reports(PathRules& rules, const std::string& folder) {
    std::error_code failed;
    if (fs::is_directory(folder, failed))
        rules.allow(folder, k_make_report);
    else if (!folder.empty())
        rules.allow(folder_of_output(folder), k_make_report_folder);
}

/// 0 or an errno.
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

}  // namespace

Sandbox enter_sandbox(const SandboxNeeds& needs) {
    const int no_guard = guard_files(needs);
    FileChanges changes = no_guard == 0 ? FileChanges::new_files : FileChanges::none;
    const bool has_output = std::ranges::any_of(needs.outputs, [](const std::string& path) { return !path.empty(); });
    if (has_output || needs.draws) changes = FileChanges::any;
    const int no_filter = filter_system_calls(changes, needs.draws ? NewCode::allowed : NewCode::refused);
    Sandbox sandbox{no_filter == 0, no_guard == 0, ""};
    sandbox.was_refused = !sandbox.is_whole();
    const auto explain = [&](const char* means, int code) {
        if (code == 0) return;
        sandbox.why_not +=
            fmt::format("{}this kernel has no {} ({})", sandbox.why_not.empty() ? "" : ", ", means, std::strerror(code));
    };
    explain("Landlock", no_guard);
    explain("system call filter", no_filter);
    return sandbox;
}

}  // namespace snapviewer
