#include "app/jobs/tasks.h"

#include <utility>

#include "app/jobs/companion.h"
#include "app/jobs/content_hash.h"
#include "app/jobs/folder_listing.h"
#include "app/jobs/sandboxed.h"
#include "app/text/allocation_text.h"
#include "core/base/output_file.h"
#include "core/fleet/fleet_database.h"

// Each piece of work has a thread of its own (see Job); its sandbox ends with it.
namespace snapviewer {

Job<OpenedFile>::Work opening_fleet(std::string path) {
    return [path = std::move(path)](Progress&) { return OpenedFile{path, {path}, {}, stopped(), {}, {}, {}, true}; };
}

Job<OpenedFile>::Work opening(std::string path, OpenOptions options, std::shared_ptr<const Document> before,
                              std::shared_ptr<Onlooker> onlooker) {
    return [path = std::move(path), options = std::move(options), before = std::move(before),
            onlooker = std::move(onlooker)](Progress& progress) {
        enter_sandbox_here({});
        progress.let_look(onlooker);
        std::vector<std::string> paths = {path};
        if (path_kind(path) == PathKind::folder || is_fleet_database(path)) return opening_fleet(path)(progress);
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

Job<BuiltView>::Work building_of(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind) {
    return [document = std::move(document), device_index, kind](Progress& progress) {
        enter_sandbox_here({});
        return BuiltView{document, device_index, kind, build_view(*document, device_index, kind, progress)};
    };
}

Job<LookedUpDetails>::Work looking_up(std::shared_ptr<DetailSource> source, std::size_t device_index, AllocationId id) {
    return [source = std::move(source), device_index, id](Progress&) {
        enter_sandbox_here({});
        Result<std::vector<DetailSection>> sections = source->details(device_index, id);
        if (sections) sections = within_budget(*std::move(sections));
        return LookedUpDetails{source, id, std::move(sections)};
    };
}

Job<QueryOutcome>::Work querying(std::shared_ptr<Database> database, QueryTask task) {
    return [database = std::move(database), task = std::move(task)](Progress& progress) {
        enter_sandbox_here({});
        const QueryLimits limits{.max_rows = task.max_rows, .parameters = task.parameters, .progress = &progress};
        QueryOutcome outcome;
        for (const std::string& sql : task.statements) {
            Result<QueryResult> result = database->run(sql, limits);
            if (!result) {
                outcome.failed_sql = sql;
                outcome.error = result.error();
                break;
            }
            auto chart = std::make_shared<const ResultChart>(make_chart(*result));
            outcome.answers.push_back({sql, std::make_shared<const QueryResult>(std::move(*result)), std::move(chart)});
        }
        return outcome;
    };
}

Job<SavedFile>::Work saving(std::string path, std::shared_ptr<const QueryResult> result, std::vector<std::uint32_t> order,
                            ResultFormat format) {
    return [path = std::move(path), result = std::move(result), order = std::move(order), format](Progress&) {
        Result<OutputFile> file = OutputFile::create(path);
        if (!file) return SavedFile{path, file.error()};
        file->write(result_text(*result, order, format));
        return SavedFile{path, file->put_in_place()};
    };
}

}  // namespace snapviewer
