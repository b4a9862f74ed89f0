#include "core/system/processes.h"

namespace snapviewer {

std::filesystem::path own_program() { return {}; }

}  // namespace snapviewer
