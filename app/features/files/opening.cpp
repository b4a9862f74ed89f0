#include "app/features/files/opening.h"

#include <filesystem>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "app/features/files/companion.h"
#include "app/features/files/content_hash.h"
#include "app/features/files/folder_listing.h"
#include "app/ui/sandboxed.h"
#include "core/base/addresses.h"
#include "core/fleet/fleet_database.h"
#include "core/fleet/series/series_files.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

/// Starts to compute the content hash. It runs on a separate thread, because in a browser every access to the file waits for
/// the page. The hash of a pipe is never computed in parallel, because a second reader would take bytes away from the first.
std::future<std::optional<std::uint64_t>> begin_content_hash(const std::string& path) {
    std::error_code failed;
    const bool is_beside = has_threads() && std::filesystem::is_regular_file(path, failed);
    return std::async(is_beside ? std::launch::async | std::launch::deferred : std::launch::deferred,
                      [path] { return content_hash(path); });
}

}  // namespace

Job<OpenedFile>::Work make_fleet_opening_job(std::string path) {
    return [path = std::move(path)](Progress&) { return OpenedFile{path, {path}, {}, stopped(), {}, {}, {}, true}; };
}

Job<OpenedFile>::Work make_opening_job(std::string path, OpenOptions options, std::shared_ptr<const Document> before,
                                       std::shared_ptr<Observer> observer) {
    return [path = std::move(path), options = std::move(options), before = std::move(before),
            observer = std::move(observer)](Progress& progress) {
        enter_sandbox_here({});
        progress.let_look(observer);
        std::vector<std::string> paths = {path};
        if (path_kind(path) == PathKind::folder && holds_series(path)) {
            OpenedFile opened = make_fleet_opening_job(path)(progress);
            opened.is_series = true;
            return opened;
        }
        if (is_remote_folder(path) || path_kind(path) == PathKind::folder || is_fleet_database(path))
            return make_fleet_opening_job(path)(progress);
        if (!options.with.empty()) paths.push_back(options.with);
        auto content = begin_content_hash(path);
        FileStamps stamps = read_stamps(paths);
        auto document = open_document(path, options, progress);
        if (document && (*document)->with.empty()) {
            paths = {path};
            stamps.resize(k_stamps_per_path);
        }
        CharacterSet characters = document ? characters_of(**document) : CharacterSet{};
        std::string companion = document && before ? find_companion(**document, *before, progress) : "";
        return OpenedFile{path,
                          std::move(paths),
                          std::move(stamps),
                          std::move(document),
                          std::move(characters),
                          std::move(companion),
                          content.get()};
    };
}

}  // namespace snapviewer
