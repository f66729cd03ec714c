// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The content of an event, by its type.
    public enum EventPayload: Sendable, Equatable {
        /// `EventType.handledError`
        case handledError(HandledErrorDetails)
        /// `EventType.crash`
        case crash(CrashDetails)
        /// `EventType.hang`
        case hang(HangDetails)
        /// `EventType.networkRequest`
        case networkRequest(NetworkRequestDetails)
        /// `EventType.webSocketFrame`
        case webSocketFrame(WebSocketFrameDetails)
        /// `EventType.log`
        case log(LogDetails)
        /// `EventType.lifecycle`
        case lifecycle(LifecycleDetails)
        /// `EventType.navigation`
        case navigation(NavigationDetails)
        /// `EventType.custom`
        case custom(CustomDetails)
        /// `EventType.storageChanged`
        case storageChanged(StorageChangeDetails)
        /// `EventType.memoryWarning`
        case memoryWarning(MemoryWarningDetails)
        /// `EventType.systemBroadcast`
        case systemBroadcast(SystemBroadcastDetails)
        /// `EventType.metrics`
        case metrics(MetricsDetails)
        /// `EventType.sessionStarted`
        case sessionStarted(SessionStartDetails)
        /// `EventType.sessionEnded`
        case sessionEnded(SessionEndDetails)
        /// `EventType.errorFree`
        case errorFree(ErrorFreeDetails)
        /// `EventType.eventsDropped`
        case eventsDropped(DroppedEventsDetails)

        /// The kind of event.
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

        /// The details alone.
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
}

extension Epitaph {
    /// The details of one type of event, a JSON object.
    public protocol EventDetails: Sendable, Equatable, Codable {
        /// About how many bytes its texts have. This limits the memory of waiting events before
        /// they are encoded.
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
