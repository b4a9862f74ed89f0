#pragma once

#include <memory>

#include "core/capi/query_stream.h"
#include "core/capi/snapviewer.h"

namespace snapviewer {

/// Makes a stream of C structs of a query, which the release of those structs ends. May throw std::bad_alloc.
void export_stream(std::unique_ptr<QueryStream> stream, ArrowArrayStream& out);

/// The query of a stream that export_stream() made; null for one that is released, or of others.
QueryStream* query_of(const ArrowArrayStream* stream);

}  // namespace snapviewer
