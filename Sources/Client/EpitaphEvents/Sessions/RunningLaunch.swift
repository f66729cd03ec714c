// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A launch that is running or has no known end. Written while it runs, to survive a crash.
struct RunningLaunch: Sendable, Equatable {
    var launchID: Epitaph.ID
    var process: ProcessIdentity
    var time: Timestamp
    var session: SessionRecord?
}

extension RunningLaunch: Codable {
    private enum CodingKeys: String, CodingKey {
        case launch, pid, startTicks, pidNamespace, boot, time, session
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        launchID = try container.decode(Epitaph.ID.self, forKey: .launch)
        process = ProcessIdentity(
            processID: try container.decode(Int32.self, forKey: .pid),
            startTicks: try container.decode(UInt64.self, forKey: .startTicks),
            pidNamespace: try container.decode(UInt64.self, forKey: .pidNamespace),
            bootID: try container.decodeIfPresent(Epitaph.ID.self, forKey: .boot))
        time = Timestamp(secondsSince1970: try container.decode(Double.self, forKey: .time))
        session = try container.decodeIfPresent(SessionRecord.self, forKey: .session)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(launchID.description, forKey: .launch)
        try container.encode(process.processID, forKey: .pid)
        try container.encode(process.startTicks, forKey: .startTicks)
        try container.encode(process.pidNamespace, forKey: .pidNamespace)
        try container.encodeIfPresent(process.bootID?.description, forKey: .boot)
        try container.encode(time.secondsSince1970, forKey: .time)
        try container.encodeIfPresent(session, forKey: .session)
    }
}

extension RunningLaunch {
    func record(_ ending: LaunchEnding) -> SessionRecord? {
        guard var record = session else {
            return ending == .crashed ? SessionRecord(crashOf: launchID, at: time) : nil
        }
        record.outcome =
            switch ending {
            case .completed: .completed
            case .crashed: .crashed
            case .interrupted: .interrupted
            case .unknown: .unknown
            }
        return record
    }
}
