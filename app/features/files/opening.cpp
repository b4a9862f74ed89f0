#include "app/features/files/opening.h"

#include <utility>

#include "app/features/files/companion.h"
#include "app/features/files/content_hash.h"
#include "app/features/files/folder_listing.h"
#include "app/ui/sandboxed.h"
#include "core/base/remote_address.h"
#include "core/fleet/fleet_database.h"
#include "core/series/series_files.h"

namespace snapviewer {

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
        if (path_kind(path) == PathKind::folder && holds_series(path, progress)) {
            OpenedFile opened = make_fleet_opening_job(path)(progress);
            opened.is_series = true;
            return opened;
        }
        if (is_remote_folder(path) || path_kind(path) == PathKind::folder || is_fleet_database(path))
            return make_fleet_opening_job(path)(progress);
        if (!options.with.empty()) paths.push_back(options.with);
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
                          content_hash(path)};
    };
}

}  // namespace snapviewer
