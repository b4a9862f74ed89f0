#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/output_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// What became of a page with a snapshot in it.
struct WrittenPage {
    std::uint64_t program_bytes = 0;   ///< of the page
    std::uint64_t snapshot_bytes = 0;  ///< likewise
    std::uint64_t content_bytes = 0;   ///< of the snapshot before it was packed
};

/// Writes one HTML file that holds the program for browsers, of the folder `page` (docs/web.md), and a snapshot, packed with
/// Zstandard at `level`: it opens by a double click, without a server and without a network. `place` is what it shows first,
/// as links say it (app/features/link/place.h); empty for all of the file. Of the path only the name is in it. The caller
/// puts `out` in place; where that has failed, it is why this does. Of a large snapshot `expect` is told how large all will
/// be, about, once its first MiB are packed.
Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect);

}  // namespace snapviewer
