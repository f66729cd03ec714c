// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphSystem
import Glibc
import Synchronization

/// Fetches files with libdebuginfod into the cache of debuginfod-find(1), gdb and others. The
/// library takes servers and cache only from the environment: DEBUGINFOD_URLS is changed for a
/// call, DEBUGINFOD_CACHE_PATH for this object's life. Only for our own programs.
package final class DebuginfodClient: SymbolClient {
    private let thread: ClientThread
    private let cache: Mutex<ClientCache?>
    private let session = Session()
    private let lastPlace = Mutex<CachePlace?>(nil)

    /// Starts a thread with the caller's current rights. The first request loads the library.
    package init() throws(SystemError) {
        thread = try ClientThread()
        cache = Mutex(nil)
    }

    package func fetch(
        _ request: SymbolRequest, from server: String,
        goesOn: @escaping @Sendable (Int?, Int?) -> Bool
    ) -> SymbolAnswer {
        if let problem = epitaph_debuginfod_problem() {
            return .impossible(String(cString: problem))
        }
        let shared = Shared()
        let answer = thread.run({ [self] in ask(request, server, shared) }) {
            let transfer = shared.transfer.withLock { $0 }
            let goes = goesOn(transfer?.bytesReceived, transfer?.bytesInAll)
            if !goes { transfer?.stop() }
            return goes
        }
        return answer ?? .impossible("libdebuginfod did not stop when it was to")
    }

    package func discard(_ file: FetchedFile) {
        guard file.isNew else { return }
        _ = thread.run { [self] in
            if case .success(let cache) = openedCache() { cache.remove(file.path) }
        }
    }

    package func forgetMiss() {
        let place = lastPlace.withLock { $0 }
        _ = thread.run { place?.removeNewMisses() }
    }

    package var noteOnCache: String? { cache.withLock { $0?.note } }

    private final class Shared: Sendable {
        let transfer = Mutex<DebuginfodTransfer?>(nil)
    }

    private func ask(
        _ request: SymbolRequest, _ server: String, _ shared: Shared
    ) -> SymbolAnswer {
        let directory: String
        switch openedCache() {
        case .success(let cache): directory = cache.path
        case .failure(let error):
            return .impossible("its answers cannot be stored: \(error)")
        }
        let place = CachePlace(of: request, in: directory)
        lastPlace.withLock { $0 = place }
        guard !place.hadMiss else { return .unknownToAll }
        let transfer = DebuginfodTransfer(into: place)
        shared.transfer.withLock { $0 = transfer }
        var path: String?
        let result = ProcessVariable("DEBUGINFOD_URLS").with(server) {
            session.find(request, transfer, &path)
        }
        if result >= 0 {
            _ = fcntl(result, F_SETFD, FD_CLOEXEC)
            let path = path ?? ""
            return .file(
                FetchedFile(
                    FileDescriptor(owning: result, path: path), path: path,
                    isNew: !place.had(path)))
        }
        if transfer.wasStopped {
            // The library caches every end without a file as a miss, even this one.
            place.removeNewMisses()
            return .stopped
        }
        switch -result {
        case ENOENT: return .unknown
        case EFBIG: return .tooLarge
        default: break
        }
        return .failed(SystemError(call: "", subject: "", errorNumber: -result).reason)
    }

    private func openedCache() -> Result<ClientCache, SystemError> {
        if let known = cache.withLock({ $0 }) { return .success(known) }
        do throws(SystemError) {
            let made = try ClientCache()
            cache.withLock { $0 = made }
            return .success(made)
        } catch {
            return .failure(error)
        }
    }
}

/// The library's session, used only by its client's thread.
// Sendable: see above; the client has the last reference, and its thread is idle by then.
private final class Session: @unchecked Sendable {
    private var client: OpaquePointer?

    deinit {
        if let client { epitaph_debuginfod_end(client) }
    }

    /// Sets `path` to the file's path in the cache. Returns a descriptor or a negated errno.
    func find(
        _ request: SymbolRequest, _ transfer: DebuginfodTransfer, _ path: inout String?
    ) -> Int32 {
        client = client ?? epitaph_debuginfod_begin()
        guard let client else { return -ENOMEM }
        epitaph_debuginfod_set_user_data(client, Unmanaged.passUnretained(transfer).toOpaque())
        epitaph_debuginfod_set_progressfn(client, DebuginfodTransfer.progress)
        defer { epitaph_debuginfod_set_user_data(client, nil) }
        var found: UnsafeMutablePointer<CChar>?
        let id = request.buildID
        let result = withExtendedLifetime(transfer) {
            switch request.kind {
            case .executable:
                epitaph_debuginfod_find_executable(client, id, Int32(id.count), &found)
            case .debugInformation:
                epitaph_debuginfod_find_debuginfo(client, id, Int32(id.count), &found)
            case .source(let file):
                epitaph_debuginfod_find_source(client, id, Int32(id.count), file, &found)
            }
        }
        if let found {
            path = String(cString: found)
            free(found)
        }
        return result
    }
}
