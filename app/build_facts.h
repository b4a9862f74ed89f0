#pragma once

#include <string>

namespace snapviewer {

/// Facts about the build that `snapviewer --version` prints.
struct BuildFacts {
    const char* commit;     ///< short hash, with "+" if files had been changed; "unknown" outside of a checkout
    const char* made_for;   ///< target system, processor and compiler
    const char* libraries;  ///< names and versions at build time; the system may have newer ones now
    const char* abilities;  ///< optional features of this build, such as "serve"
};
extern const BuildFacts k_build_facts;

/// The output of `snapviewer --version`: several lines, of which the first is "snapviewer 1.2.3". Takes some 3 ms, because
/// it tries the sandbox in a temporary thread.
std::string version_text();

}  // namespace snapviewer
