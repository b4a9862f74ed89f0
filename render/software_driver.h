#pragma once

namespace snapviewer {

/// Whether the context's driver draws on the CPU, by its name. Needs a current context.
bool is_software_driver();

}  // namespace snapviewer
