// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.ConfirmationAnswer`; our own code writes the short name.
package typealias AnswerMeaning = Epitaph.AnswerMeaning
package typealias ConfirmationAnswer = Epitaph.ConfirmationAnswer
package typealias DeliveryRules = Epitaph.DeliveryRules
package typealias DestinationIdentity = Epitaph.DestinationIdentity
package typealias DestinationOptions = Epitaph.DestinationOptions
package typealias DestinationSpecification = Epitaph.DestinationSpecification
package typealias Filing = Epitaph.Filing
package typealias GateAnswer = Epitaph.GateAnswer
package typealias NextTry = Epitaph.NextTry
package typealias OutgoingAttachment = Epitaph.OutgoingAttachment
package typealias OutgoingReport = Epitaph.OutgoingReport
package typealias PendingReport = Epitaph.PendingReport
package typealias PendingReports = Epitaph.PendingReports
package typealias ReportSizes = Epitaph.ReportSizes
package typealias RequestTemplate = Epitaph.RequestTemplate
package typealias SendVerdict = Epitaph.SendVerdict
package typealias SkipReason = Epitaph.SkipReason
package typealias UploadDelegate = Epitaph.UploadDelegate
package typealias UploadFailure = Epitaph.UploadFailure
package typealias UploadLimits = Epitaph.UploadLimits
package typealias UploadSettings = Epitaph.UploadSettings
package typealias UploadConfirmation = Epitaph.UploadConfirmation
package typealias UploadGate = Epitaph.UploadGate
