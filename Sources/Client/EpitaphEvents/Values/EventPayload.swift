// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The content of an event, by its type.
    public enum EventPayload: Sendable, Equatable {
        case handledError(HandledErrorDetails)
        case crash(CrashDetails)
        case hang(HangDetails)
        case networkRequest(NetworkRequestDetails)
        case webSocketFrame(WebSocketFrameDetails)
        case log(LogDetails)
        case lifecycle(LifecycleDetails)
        case navigation(NavigationDetails)
        case custom(CustomDetails)
        case storageChanged(StorageChangeDetails)
        case memoryWarning(MemoryWarningDetails)
        case systemBroadcast(SystemBroadcastDetails)
        case metrics(MetricsDetails)
        case sessionStarted(SessionStartDetails)
        case sessionEnded(SessionEndDetails)
        case errorFree(ErrorFreeDetails)
        case eventsDropped(DroppedEventsDetails)

        public var type: EventType {
            switch self {
            case .handledError: .handledError
            case .crash: .crash
            case .hang: .hang
            case .networkRequest: .networkRequest
            case .webSocketFrame: .webSocketFrame
            case .log: .log
            case .lifecycle: .lifecycle
            case .navigation: .navigation
            case .custom: .custom
            case .storageChanged: .storageChanged
            case .memoryWarning: .memoryWarning
            case .systemBroadcast: .systemBroadcast
            case .metrics: .metrics
            case .sessionStarted: .sessionStarted
            case .sessionEnded: .sessionEnded
            case .errorFree: .errorFree
            case .eventsDropped: .eventsDropped
            }
        }

        public var details: any EventDetails {
            switch self {
            case .handledError(let details): details
            case .crash(let details): details
            case .hang(let details): details
            case .networkRequest(let details): details
            case .webSocketFrame(let details): details
            case .log(let details): details
            case .lifecycle(let details): details
            case .navigation(let details): details
            case .custom(let details): details
            case .storageChanged(let details): details
            case .memoryWarning(let details): details
            case .systemBroadcast(let details): details
            case .metrics(let details): details
            case .sessionStarted(let details): details
            case .sessionEnded(let details): details
            case .errorFree(let details): details
            case .eventsDropped(let details): details
            }
        }
    }

    /// The details of one type of event, a JSON object.
    public protocol EventDetails: Sendable, Equatable, Codable {
        /// Approximate size of the texts in bytes, to limit the memory of waiting events.
        var byteCount: Int { get }
    }
}

extension EventPayload {
    init(
        _ type: EventType, from container: KeyedDecodingContainer<Event.CodingKeys>
    ) throws {
        func read<Details: Decodable>() throws -> Details {
            try container.decode(Details.self, forKey: .payload)
        }
        self =
            switch type {
            case .handledError: .handledError(try read())
            case .crash: .crash(try read())
            case .hang: .hang(try read())
            case .networkRequest: .networkRequest(try read())
            case .webSocketFrame: .webSocketFrame(try read())
            case .log: .log(try read())
            case .lifecycle: .lifecycle(try read())
            case .navigation: .navigation(try read())
            case .custom: .custom(try read())
            case .storageChanged: .storageChanged(try read())
            case .memoryWarning: .memoryWarning(try read())
            case .systemBroadcast: .systemBroadcast(try read())
            case .metrics: .metrics(try read())
            case .sessionStarted: .sessionStarted(try read())
            case .sessionEnded: .sessionEnded(try read())
            case .errorFree: .errorFree(try read())
            case .eventsDropped: .eventsDropped(try read())
            }
    }
}
