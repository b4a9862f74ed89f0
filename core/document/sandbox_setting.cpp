#include "core/document/sandbox_setting.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace snapviewer {
namespace {

// GCC defines a macro for each sanitizer; clang has __has_feature().
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SNAPVIEWER_IS_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SNAPVIEWER_IS_SANITIZED
#endif

#if defined(SNAPVIEWER_IS_SANITIZED)
constexpr bool k_is_sanitized_build = true;
#else
constexpr bool k_is_sanitized_build = false;
#endif

}  // namespace

Result<SandboxSetting> sandbox_setting() {
    const char* given = std::getenv("SNAPVIEWER_SANDBOX");
    const std::string_view word = given == nullptr ? "" : given;
    if (word.empty() || word == "on") return SandboxSetting::on;
    if (word == "off") return SandboxSetting::off;
    if (word == "required") return SandboxSetting::required;
    return Error{ErrorCode::environment,
                 fmt::format("SNAPVIEWER_SANDBOX is '{}', but must be on, off or required; no file is opened", word)};
}

Sandbox enter_configured_sandbox(const SandboxNeeds& needs) {
    if (k_is_sanitized_build) return {.why_not = "this build has sanitizers, which start other programs"};
    const Result<SandboxSetting> wish = sandbox_setting();
    if (wish && *wish == SandboxSetting::off) return {.why_not = "switched off by SNAPVIEWER_SANDBOX"};
    return enter_sandbox(needs);
}

Status check_sandbox_setting(const Sandbox& sandbox) {
    const Result<SandboxSetting> wish = sandbox_setting();
    if (!wish) return wish.error();
    if (*wish != SandboxSetting::required || sandbox.is_whole()) return {};
    return Error{ErrorCode::environment,
                 "SNAPVIEWER_SANDBOX=required, but the sandbox is " + sandbox.text() + "; no file is opened"};
}

}  // namespace snapviewer
