#pragma once

namespace snapviewer {

/// True if the driver of the current context draws on the CPU, judged by the driver's name.
bool is_software_driver();

}  // namespace snapviewer
