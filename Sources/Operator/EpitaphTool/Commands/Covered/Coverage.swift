// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import Glibc

enum Coverage {
    case covered(String)
    case uncovered(String)
    case unknown(String)

    var words: (state: String, why: String) {
        switch self {
        case .covered(let why): ("covered", why)
        case .uncovered(let why): ("not covered", why)
        case .unknown(let why): ("not known", why)
        }
    }
}

extension WatchedProcess {
    /// - Parameter others: among them its parents.
    func coverage(among others: [Int32: WatchedProcess]) -> Coverage {
        do throws(SystemError) {
            let paths = try mappedPaths()
            if let file = Self.dumpFile(in: paths) { return .covered("its dump is \(file)") }
            guard Self.hasLibrary(paths) else { return .uncovered(reasonWithoutLibrary) }
            return coverageWithoutFile(among: others)
        } catch {
            return .unknown(error.reason)
        }
    }

    /// A fork does not inherit the mapping.
    private static func dumpFile(in paths: Set<String>) -> String? {
        paths.first { path in
            path.hasSuffix(".locked") && path.lastPathComponent.contains("@")
        }?.printable()
    }

    /// Whether a dump was made for children: docs/decisions/workers-of-another-user.md, version 8.
    private static func isHandedOut(_ path: String) -> Bool {
        path.hasSuffix(".locked") && path.dropLast(".locked".count).suffix(22).first == "8"
    }

    private static func hasLibrary(_ paths: Set<String>) -> Bool {
        paths.contains { $0.hasSuffix("/" + PreloadLibrary.fileName) }
    }

    /// A forked child opens its file when it crashes, if it still may.
    private func coverageWithoutFile(among others: [Int32: WatchedProcess]) -> Coverage {
        var seen: Set<Int32> = [id]
        var parent = others[parentID]
        while let process = parent, seen.insert(process.id).inserted {
            guard let paths = try? process.mappedPaths(), Self.hasLibrary(paths) else { break }
            if let file = Self.dumpFile(in: paths) {
                return coverage(asChildOf: process, directory: file.parentPath)
            }
            parent = others[process.parentID]
        }
        if let orphan = coverageAsOrphan { return orphan }
        if let program = variable("EPITAPH_EXECUTABLE") {
            let words = program.printable()
            return .uncovered(
                "the library is loaded, but EPITAPH_EXECUTABLE names \(words) and it has no dump")
        }
        return .uncovered(
            "the library is loaded, but it has no dump; a line on standard error may say why")
    }

    /// A daemon's first process ends when the daemon is ready, daemon(7). Of what it was, handlers are
    /// left: nothing else in a process has one for each of these signals. nginx ignores SIGSYS.
    private var coverageAsOrphan: Coverage? {
        let usual = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
        guard Set(usual).isSubset(of: caughtSignals) else { return nil }
        let directory = variable("EPITAPH_DATABASE").map { $0 + "/pending-dumps" }
        guard let user = fileUser, user == 0 || directory.flatMap(owner(of:)) == user else {
            return .unknown("what forked it has ended; whether it may open a dump is not known")
        }
        return .covered("what forked it has ended, and it opens a dump when it crashes")
    }

    private func coverage(asChildOf process: WatchedProcess, directory: String) -> Coverage {
        guard let owner = process.owner(of: directory), let user = fileUser else {
            return .unknown("process \(process.id) forked it; \(directory) cannot be looked at")
        }
        guard user == 0 || user == owner else {
            let spares = openPaths().count(where: Self.isHandedOut)
            guard spares == 0 else {
                return .covered(
                    "process \(process.id) forked it, and \(spares) spare dumps serve all such "
                        + "children")
            }
            return .uncovered(
                "process \(process.id) forked it, but it has no dump, and its user \(user) does "
                    + "not own \(directory)")
        }
        return .covered("process \(process.id) forked it, and it opens a dump when it crashes")
    }

    private var reasonWithoutLibrary: String {
        if isSecure {
            return "it was executed with more rights than its user's (AT_SECURE), and loads no "
                + "library of LD_PRELOAD"
        }
        let isNamed = variable("LD_PRELOAD")?.contains(PreloadLibrary.fileName) == true
        if let executable, let tool = try? realPath(of: "/proc/self/exe"),
            case .image(let machine, let interpreter) = ELFImageFile(executable),
            case .image(let own, _) = ELFImageFile(tool),
            isNamed || interpreter == nil,
            let objection = LaunchedProgram.objection(
                machine: machine, interpreter: interpreter, library: own)
        {
            return "it \(objection)"
        }
        guard isNamed else {
            return "LD_PRELOAD of its environment does not name the library; "
                + "docs/coverage-by-daemon.md lists settings"
        }
        return "LD_PRELOAD names the library, but it is not loaded; a line on standard error may "
            + "say why"
    }
}
