#include "core/base/context.h"

namespace snapviewer {
namespace {

thread_local Context t_context;

}  // namespace

const Context& Context::current() { return t_context; }

ContextScope::ContextScope(const Context& context) : previous_(std::exchange(t_context, context)) {}

ContextScope::~ContextScope() { t_context = previous_; }

void check_stop() {
    if (must_stop(t_context.progress)) fail_stopped();
}

}  // namespace snapviewer
