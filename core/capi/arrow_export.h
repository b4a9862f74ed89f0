#pragma once

#include <memory>

#include "core/capi/query_stream.h"
#include "core/capi/snapviewer.h"

namespace snapviewer {

/// Wraps a query in an Arrow C stream. Releasing the stream destroys the query and so stops it. May throw std::bad_alloc.
void export_stream(std::unique_ptr<QueryStream> stream, ArrowArrayStream& out);

/// The query inside a stream that export_stream() made; nullptr for a released stream or a stream from another library.
QueryStream* query_of(const ArrowArrayStream* stream);

}  // namespace snapviewer
