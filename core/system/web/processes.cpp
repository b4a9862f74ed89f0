#include "core/system/processes.h"

namespace snapviewer {

std::filesystem::path own_program() { return {}; }

std::string boot_id() { return {}; }

}  // namespace snapviewer
