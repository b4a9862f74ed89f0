#include "core/system/processes.h"

#include <cstdlib>

namespace snapviewer {

void set_variable(const char* name, const char* value) { ::setenv(name, value, 0); }

}  // namespace snapviewer
