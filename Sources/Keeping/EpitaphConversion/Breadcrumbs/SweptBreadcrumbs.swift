// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// Breadcrumb files among the pending dumps: `<bundle-id>@<uuid>.breadcrumbs`. That of a launch
/// that did not end well goes into the history with it.
final class SweptBreadcrumbs: Sendable {
    private struct State {
        var names: Set<String> = []
        var problems: [String] = []
    }

    private static let ending = ".breadcrumbs"
    private static let sizeLimit = 17 << 20
    private let sweep: DumpSweep
    private let directory: Directory
    private let state = ForkSafeMutex(State())

    var problems: [String] { state.withLock { $0.problems } }

    init(_ sweep: DumpSweep, _ directory: Directory) {
        self.sweep = sweep
        self.directory = directory
    }

    static func isName(_ fileName: String) -> Bool {
        guard fileName.hasSuffix(ending) else { return false }
        return DumpName(String(fileName.dropLast(ending.count)))?.stage == .pending
    }

    func note(_ fileName: String) {
        state.withLock { _ = $0.names.insert(fileName) }
    }

    private func name(_ id: Epitaph.ID, of bundleID: String) -> String {
        "\(bundleID)@\(id.description)\(Self.ending)"
    }

    /// The breadcrumbs of a launch record's process; empty without a file of that process.
    func of(_ launch: LaunchRecord?, bundleID: String) -> [Breadcrumb] {
        guard let launch, let id = launch.breadcrumbFile else { return [] }
        let name = name(id, of: bundleID)
        do throws(BreadcrumbFileError) {
            var found = try read(name)
            // The history already has the file if an earlier attempt at the dump failed.
            if found == nil { found = try kept(id, of: bundleID) }
            guard let file = found else { return [] }
            guard file.process == ProcessIdentity(launch) else {
                throw .damaged("another process wrote it")
            }
            if file.tornCount > 0 {
                complain(
                    "\(directory.path(of: name)): breadcrumbs are missing in "
                        + "\(file.tornCount) places, where they were half written")
            }
            return file.breadcrumbs
        } catch {
            complain("\(directory.path(of: name)): \(error)")
            return []
        }
    }

    /// Moves the file of an ended launch into the history, or removes it if the launch ended well.
    func keep(_ launch: RecordedLaunch, of bundleID: String) {
        guard let id = launch.breadcrumbs else { return }
        let name = name(id, of: bundleID)
        state.withLock { _ = $0.names.remove(name) }
        do throws(DatabaseError) {
            guard launch.end == .cleanly else {
                _ = try sweep.database.keepBreadcrumbFile(
                    name, in: directory, as: id, of: bundleID)
                return
            }
            _ = try? directory.remove(name)
        } catch {
            complain("\(directory.path(of: name)) is not in the launch history: \(error)")
        }
    }

    /// Removes files of dead processes without a dump, which was removed or became a report.
    func removeAbandoned() {
        let names = state.withLock { $0.names }
        let now = sweep.clock.now()
        for name in names {
            guard let status = (try? directory.status(of: name)) ?? nil, status.kind == .regular,
                now.seconds(since: status.modificationTime)
                    >= Double(epitaph_starting_grace_seconds),
                let file = (try? read(name)) ?? nil, sweep.proc.isRunning(file.process) == false
            else { continue }
            _ = try? directory.remove(name)
        }
    }

    private func read(_ name: String) throws(BreadcrumbFileError) -> BreadcrumbFile? {
        guard let file = try? directory.openForReading(name), let status = try? file.fileStatus(),
            status.kind == .regular, let bytes = try? file.readAll(limit: Self.sizeLimit)
        else { return nil }
        return try BreadcrumbFile(.init(bytes))
    }

    private func kept(
        _ id: Epitaph.ID, of bundleID: String
    ) throws(BreadcrumbFileError) -> BreadcrumbFile? {
        guard let bytes = (try? sweep.database.breadcrumbFile(id, of: bundleID)) ?? nil else {
            return nil
        }
        return try BreadcrumbFile(bytes)
    }

    private func complain(_ sentence: String) {
        state.withLock { $0.problems.append(sentence) }
    }
}

extension ProcessIdentity {
    fileprivate init(_ launch: LaunchRecord) {
        self.init(
            processID: launch.processID ?? 0, startTicks: launch.startTicks ?? 0,
            pidNamespace: launch.pidNamespace ?? 0, bootID: launch.bootID)
    }
}
