"""Webhooks, for the owner: how receivers are doing, and what was given up."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from setmargin import documents
from setmargin.server.api.dependencies import Deliveries, owner_only
from setmargin.server.api.problems import documented

router = APIRouter(prefix="/api/v1/owner/webhooks", tags=["owner"], dependencies=[Depends(owner_only)])


@router.get("", responses=documented("unauthorized", "off"))
async def webhooks(deliveries: Deliveries) -> documents.WebhookDeliveries:
    """Who is told of finished interviews, how many messages wait, were sent or given up, and why."""
    return await deliveries.described()


@router.post("/send-again", responses=documented("unauthorized", "off"))
async def send_webhooks_again(deliveries: Deliveries) -> documents.SentAgain:
    """Send what was given up, from the beginning, once its receiver is well again."""
    return documents.SentAgain(await deliveries.send_again())
