#include "app/system/offscreen_context.h"

namespace snapviewer {

Result<OffscreenContext> OffscreenContext::create() {
    return Error{ErrorCode::environment, "there is no OpenGL outside of a page"};
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace snapviewer
