// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    static func begin(_ wanted: Configuration) {
        // Logged after the lock is released, because the log function may call back in.
        var notes: [String] = []
        let begun = lock.during { launch(wanting: wanted, &notes) }
        notes.forEach(wanted.log)
        switch begun {
        case nil: wanted.log("Epitaph is being started by another thread, which takes too long")
        case .some(let launch?): launch.goOn()
        case .some(nil): break
        }
    }

    /// - Returns: the launch that has to go on; nil if there is none, or if there was one before.
    private static func launch(wanting wanted: Configuration, _ notes: inout [String]) -> Launch? {
        let (configuration, problems) = wanted.withEnvironment()
        switch phase.state {
        case .running, .disabled:
            let others = phase.configuration?.differences(from: configuration) ?? []
            if !others.isEmpty {
                notes.append(
                    "Epitaph has been started already; the other values of this start are not "
                        + "used: \(others.joined(separator: ", "))")
            }
            return nil
        case .notStarted, .failed, .stopped: break
        }
        notes += problems.map(\.description)
        let remembered = ReportDatabase.programSettings(
            of: configuration.bundleID, in: configuration.databasePath)
        guard remembered.capturesCrashes ?? configuration.isEnabled else {
            phase = Phase(.disabled, configuration)
            return nil
        }
        // An operator who chose another database has made its directory.
        if wanted.makesParentDirectories, configuration.databasePath == wanted.databasePath,
            let note = DefaultDatabase.makeParents(of: wanted.databasePath)
        {
            notes.append(note)
        }
        return launch(configuration, &notes)
    }

    private static func launch(_ configuration: Configuration, _ notes: inout [String]) -> Launch? {
        do throws(Refusal) {
            let launch = try Launch(configuration)
            phase = Phase(.running, configuration, launch)
            return launch
        } catch {
            phase = Phase(.failed(reason: error.description), configuration)
            notes.append("crashes are not recorded: \(error.description)")
            return nil
        }
    }

    /// Whether crashes are captured. The choice is stored in the database for this and later
    /// launches, which takes the time of syncing a small file. If it cannot be stored, it applies
    /// to this process only, and the log says so. Has no effect before the start.
    ///
    /// A launch that began disabled starts to capture when this becomes true.
    public static var isEnabled: Bool {
        get { state == .running }
        set { setEnabled(newValue) }
    }

    private static func setEnabled(_ isEnabled: Bool) {
        var notes: [String] = []
        let present = phase
        guard let configuration = present.configuration else { return }
        let begun = lock.during { () -> Launch? in
            if phase.launch != nil {
                Epitaph.isCaptureEnabled = isEnabled
            } else if case .disabled = phase.state, isEnabled {
                return launch(configuration, &notes)
            }
            return nil
        }
        if let problem = configuration.remember(isEnabled) { notes.append(problem) }
        notes.forEach(configuration.log)
        if case .some(let launch?) = begun { launch.goOn() }
    }
}

extension Epitaph.Configuration {
    /// - Returns: why the choice was not stored; nil if it was.
    fileprivate func remember(_ isEnabled: Bool) -> String? {
        do throws(DatabaseError) {
            try withReportDatabase(at: databasePath) { (database) throws(DatabaseError) in
                try database.updateProgramSettings(of: bundleID) {
                    $0.capturesCrashes = isEnabled
                }
            }
            return nil
        } catch {
            let choice = isEnabled ? "are captured" : "are not captured"
            return "that crashes \(choice) counts for this process only: \(error)"
        }
    }
}
