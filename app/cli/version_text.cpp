#include <fmt/format.h>

#include <string>
#include <thread>

#include "app/build_facts.h"
#include "app/ui/sandboxed.h"

namespace snapviewer {

std::string version_text() {
    Sandbox sandbox;
    std::thread([&] { sandbox = enter_sandbox_here({}); }).join();
    return fmt::format("snapviewer {}\ncommit: {}\nbuilt for: {}\nbuilt with: {}\ncan: {}\nsandbox: {}", SNAPVIEWER_VERSION,
                       k_build_facts.commit, k_build_facts.made_for, k_build_facts.libraries, k_build_facts.abilities,
                       sandbox.text());
}

}  // namespace snapviewer
