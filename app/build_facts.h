#pragma once

namespace snapviewer {

/// Facts about the build that `snapviewer --version` prints.
struct BuildFacts {
    const char* commit;     ///< short hash, with "+" if files had been changed; "unknown" outside of a checkout
    const char* made_for;   ///< target system, processor and compiler
    const char* libraries;  ///< names and versions at build time; the system may have newer ones now
    const char* abilities;  ///< optional features of this build, such as "serve"
};
extern const BuildFacts k_build_facts;

}  // namespace snapviewer
