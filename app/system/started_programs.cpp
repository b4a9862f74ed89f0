#include "app/system/started_programs.h"

#include "core/base/result.h"
#include "core/system/processes.h"

namespace snapviewer {

void StartedPrograms::forget_ended() { std::erase_if(running_, has_ended); }

Status StartedPrograms::start(const std::vector<std::string>& words) {
    forget_ended();
    std::error_code failed;
    const auto id = start_program(words, failed);
    if (!id) return start_error(words.front(), failed);
    running_.push_back(*id);
    return {};
}

}  // namespace snapviewer
