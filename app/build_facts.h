#pragma once

#include <string>

namespace snapviewer {

/// What `snapviewer --version` says of how this program was built, from the build itself.
struct BuildFacts {
    const char* commit;     ///< short, "+" behind it if files had been changed; "unknown" outside of a checkout
    const char* made_for;   ///< system, processor and compiler
    const char* libraries;  ///< names and versions found when it was built; a system may have newer ones by now
    const char* abilities;  ///< what not every build can do, such as "serve"
};
extern const BuildFacts k_build_facts;

/// Several lines, of which the first is "snapviewer 1.2.3". Tries the sandbox, in a thread that ends again: some 3 ms.
std::string version_text();

}  // namespace snapviewer
