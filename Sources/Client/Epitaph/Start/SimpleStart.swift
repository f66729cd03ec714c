// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Glibc

extension Epitaph {
    /// Starts Epitaph with defaults for everything but the names. Call it early, before the program
    /// makes threads.
    ///
    ///     Epitaph.start("com.example.myd", version: "1.4") { crash in
    ///         log.error("an earlier launch crashed: \(crash)")
    ///     }
    ///
    /// `Configuration.init(_:version:)` says where reports are kept; `start(_:)` with a
    /// `Configuration` chooses everything else.
    ///
    /// - Parameters:
    ///   - bundleID: 1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot.
    ///   - version: of the program; it is in every report as `ver`.
    ///   - onEarlierCrash: called for each crash of an earlier launch, on a thread of Epitaph's.
    /// - Returns: what Epitaph does now.
    @discardableResult
    public static func start(
        _ bundleID: String, version: String? = nil,
        onEarlierCrash: (@Sendable (CrashSummary) -> Void)? = nil
    ) -> State {
        var configuration = Configuration(bundleID, version: version)
        if let onEarlierCrash {
            configuration.onEarlierCrash = { if $0.isCrash { onEarlierCrash($0) } }
        }
        return start(configuration)
    }
}

extension Epitaph.Configuration {
    /// A configuration with the defaults. The database is in the program's state directory:
    /// `crashes` in the first of `$STATE_DIRECTORY`, which systemd sets for `StateDirectory=`
    /// (systemd.exec(5)); otherwise `epitaph/BUNDLE-ID` in `$XDG_STATE_HOME` or `~/.local/state`
    /// (XDG Base Directory Specification), or in `/var/lib` for root and for users without a home.
    /// Missing directories above it are created with mode 0700, `/var/lib/epitaph` with 0755.
    /// `databasePath` has the resulting path, which is logged when the directory is created.
    ///
    /// - Parameters:
    ///   - bundleID: the name of the program, see `bundleID`.
    ///   - version: of the program; the annotation `ver`, which events carry as their version.
    public init(_ bundleID: String, version: String? = nil) {
        self.init(
            databasePath: DefaultDatabase.path(
                of: bundleID, userID: geteuid(),
                variable: { getenv($0).map { String(cString: $0) } }),
            bundleID: bundleID)
        annotations["ver"] = version
        makesParentDirectories = true
    }
}

enum DefaultDatabase {
    static func path(
        of bundleID: String, userID: UInt32, variable: (String) -> String?
    ) -> String {
        func directory(_ name: String) -> String? {
            variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        // systemd separates several directories by colons.
        if let state = directory("STATE_DIRECTORY")?.split(separator: ":").first {
            return "\(state)/crashes"
        }
        if userID != 0 {
            if let state = directory("XDG_STATE_HOME") { return "\(state)/epitaph/\(bundleID)" }
            if let home = directory("HOME"), home != "/" {
                return "\(home)/.local/state/epitaph/\(bundleID)"
            }
        }
        // Without a home this needs a directory made by an administrator. Places such as /var/tmp
        // are not used: somebody else may create the directory first.
        return "/var/lib/epitaph/\(bundleID)"
    }

    /// Creates the directories above a database; the start reports failures. Returns a sentence
    /// about the new place; nil if the directory exists.
    static func makeParents(of path: String) -> String? {
        guard access(path, F_OK) != 0 else { return nil }
        var place = ""
        for part in path.split(separator: "/").dropLast() {
            place += "/\(part)"
            mkdir(place, place == "/var/lib/epitaph" ? 0o755 : 0o700)
        }
        return "crash reports are kept in \(path)"
    }
}
