#include "app/features/query/query_tracks.h"

namespace snapviewer {

void QueryTracks::connect(Switchboard& board) {
    board.commands.add({.id = "track_add", .run = [this] { add(); }});
    board.handlers.on<RemoveTrack>([this](const RemoveTrack& asked) { remove(asked.index); });
}

}  // namespace snapviewer
