#pragma once

#include <zip.h>

#include <new>

#include "core/base/context.h"

namespace snapviewer::bytes {

/// Callback for a source of libzip. No exception may pass through libzip, which is C. Calls `Source::answer(data, length,
/// command)`, and turns an exception into an error of libzip in `Source::error`.
template <typename Source>
zip_int64_t zip_callback(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) noexcept {
    Source& source = *static_cast<Source*>(state);
    if (command == ZIP_SOURCE_ERROR) return zip_error_to_data(&source.error, data, length);
    const auto fail = [&](int code) -> zip_int64_t {
        zip_error_set(&source.error, code, 0);
        return -1;
    };
    try {
        return source.answer(data, length, command);
    } catch (const std::bad_alloc&) {
        return fail(ZIP_ER_MEMORY);
    } catch (const Failure&) {
        return fail(ZIP_ER_CANCELLED);
    } catch (...) {
        return fail(ZIP_ER_INTERNAL);
    }
}

}  // namespace snapviewer::bytes
