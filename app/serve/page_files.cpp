#include "app/serve/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/serve/answers.h"
#include "app/serve/download.h"
#include "app/serve/served_folder.h"
#include "app/system/installed_files.h"
#include "core/base/hash.h"

namespace snapviewer {
namespace {

struct PageFile {
    std::string_view name;
    const char* type;
};
constexpr std::array k_page_files = {
    PageFile{"index.html", "text/html; charset=utf-8"},
    PageFile{"page.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer.js", "text/javascript; charset=utf-8"},
    PageFile{"service_worker.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer.wasm", "application/wasm"},
    PageFile{"snapviewer64.js", "text/javascript; charset=utf-8"},
    PageFile{"snapviewer64.wasm", "application/wasm"},
    PageFile{"snapviewer.svg", "image/svg+xml"},
    PageFile{"alone.js", "text/javascript; charset=utf-8"},
    PageFile{"alone.wasm", "application/wasm"},
    PageFile{"sample.pickle", "application/octet-stream"},
};

/// Headers of the web program's pages. The policy equals that of app/web/index.html; the program's threads need it as a
/// header too.
const std::pair<const char*, const char*> k_page_headers[] = {
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
    {"Content-Security-Policy",
     "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' blob:; style-src 'self' "
     "'unsafe-inline'; worker-src 'self' blob:; form-action 'none'; base-uri 'none'"},
};

bool holds_page(const std::filesystem::path& folder) {
    std::error_code ignored;
    return !folder.empty() && std::filesystem::exists(folder / "page.js", ignored);
}

}  // namespace

Result<PageFiles> PageFiles::open(const std::string& folder) {
    PageFiles page;
    const std::filesystem::path path = folder.empty() ? installed_file("page") : std::filesystem::path(folder);
    if (holds_page(path))
        page.folder_ = path.string();
    else if (!folder.empty())
        return Error{ErrorCode::environment, "holds no page: scripts/web.sh makes one"};
    return page;
}

HttpAnswer PageFiles::answer(const HttpQuestion& question, const RequestTarget& target) const {
    if (folder_.empty() || target.names.size() > 1) return not_found();
    if (target.names.empty() && !target.ends_with_slash) return redirection(".page/" + query_of(target.parameters));
    const std::string name = target.names.empty() ? "index.html" : target.names.front();
    const auto file = std::ranges::find(k_page_files, std::string_view(name), &PageFile::name);
    if (file == k_page_files.end() || (!target.names.empty() && target.ends_with_slash)) return not_found();
    const std::string path = (std::filesystem::path(folder_) / name).string();
    const std::string all = version_text(path) + question.accepted_encodings;
    const std::string tag = fmt::format("\"{:016x}\"", hash_bytes(all.data(), all.size()));
    RequestTarget as_it_is = target;
    as_it_is.parameters.clear();  // the parameters are meant for the page's script
    HttpAnswer answer = question.known_tag == tag ? HttpAnswer{.status = 304} : bytes_of(path, question, tag, as_it_is);
    if (answer.status < 400) answer.headers.emplace_back("ETag", tag);
    answer.type = answer.status == 200 || answer.status == 206 ? file->type : answer.type;
    for (const auto& [header, value] : k_page_headers) answer.headers.emplace_back(header, value);
    return answer;
}

}  // namespace snapviewer
