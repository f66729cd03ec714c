// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService
import EpitaphSystem

struct Sender {
    /// Retry interval for a database without reports, or that cannot be opened.
    private static let reopenSeconds = 10.0

    private let watched: WatchedDatabase
    private let setup: UploadSetup
    private let stop: StopSignal
    private let pulse: WorkPulse
    private var access: DatabaseAccess

    init(
        _ watched: WatchedDatabase, _ setup: UploadSetup, _ stop: StopSignal, _ pulse: WorkPulse
    ) {
        self.watched = watched
        self.setup = setup
        self.stop = stop
        self.pulse = pulse
        access = DatabaseAccess(watched: watched)
    }

    mutating func run() {
        while !stop.isStopped {
            let identity = presentIdentity
            if var session = session() {
                // A replaced database is opened again.
                session.watch { [self] in presentIdentity != identity }
            }
            pulse.rest()
            _ = stop.wait(seconds: Self.reopenSeconds)
        }
    }

    mutating func pass() {
        guard var session = session() else { return }
        do {
            try session.pass()
        } catch {
            access.complain("\(error)")
        }
    }

    private mutating func session() -> UploadSession? {
        pulse.beat()
        guard let database = access.open(ifMissing: .fail) else { return nil }
        do {
            let news = try DeliveryNews(database, watched, pulse)
            return try UploadSession(setup, database, news, stop)
        } catch {
            access.complain("reports of \(watched.path) cannot be sent: \(error)")
            return nil
        }
    }

    private var presentIdentity: FileIdentity? {
        try? Directory(named: watched.path).fileStatus().identity
    }
}
